"""The machine, as figures carry it with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorstone.report.units import memory
from tensorstone.runtime.machine import Machine
from tensorstone.session.noise import Noise


def machine_json(machine: Machine, noise: Noise | None) -> dict[str, Any]:
    """The machine with its noise floor, null where it was never measured."""
    return {
        "cpu": machine.cpu,
        "cores": len(machine.affinity),
        "memory": machine.memory_bytes,
        "os": machine.os,
        "noise_floor": noise.floor if noise else None,
        "details": machine.to_dict(),
    }


def machine_line(machine: Mapping[str, Any]) -> str:
    """One line: what it is and how quiet it is."""
    cores = machine["cores"]
    line = f"{machine['cpu']}, {cores} core{'s' * (cores != 1)}, {memory(machine['memory'])}"
    if machine["noise_floor"] is not None:
        line += f"; noise floor {machine['noise_floor']:.1%}"
    return line
