"""The machine, as figures carry it with them."""

from __future__ import annotations

from typing import Any

from tensorstone.report.units import memory
from tensorstone.results.codec import plain
from tensorstone.results.machine import Machine
from tensorstone.results.run import RunFacts


def machine_json(machine: Machine, noise_floor: float | None) -> dict[str, Any]:
    """The machine with its noise floor, null where it was never measured."""
    return {
        "name": machine.name,
        "cpu": machine.cpu,
        "cores": len(machine.affinity),
        "memory": machine.memory_bytes,
        "os": machine.os,
        "noise_floor": noise_floor,
        "details": plain(machine),
    }


def machine_line(facts: RunFacts) -> str:
    """One line: what it is, and its noise floor."""
    machine = facts.machine
    cores = len(machine.affinity)
    line = f"{machine.cpu}, {cores} core{'s' * (cores != 1)}, {memory(machine.memory_bytes)}"
    if facts.noise_floor is not None:
        line += f"; noise floor {facts.noise_floor:.1%}"
    return line


def damaged_said(count: int, run: int) -> list[str]:
    """A line where rows of the ledger could not be read."""
    if not count:
        return []
    rows = f"{count} damaged row{'s' * (count > 1)} of the ledger"
    return [f"Warning: {rows} left out; stone show {run} --notes names them."]
