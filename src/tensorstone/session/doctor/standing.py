"""What this machine is: processors, memory, disks, its clock."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from tensorstone.results.machine import Machine
from tensorstone.results.run import Finding
from tensorstone.runtime.memory import available
from tensorstone.support.folders import cache_dir, data_dir

GIB = 2**30


def findings(machine: Machine) -> Iterator[Finding]:
    yield from _processors(machine)
    yield _memory()
    yield _disk("environments", cache_dir(), 8 * GIB)
    yield _disk("ledger", data_dir(), GIB)
    yield _timer()


def _processors(machine: Machine) -> Iterator[Finding]:
    count = len(machine.affinity)
    yield Finding("processors", "good", f"{machine.cpu}, {count} usable")
    if machine.hypervisor:
        yield Finding(
            "virtual machine",
            "warning",
            "other guests may take processor time at any moment",
            "intervals are wider here; for small differences use a machine of your own",
        )
    if machine.governor not in (None, "performance"):
        yield Finding(
            "frequency",
            "warning",
            f"the governor is {machine.governor}",
            "sudo cpupower frequency-set -g performance",
        )
    if machine.turbo:
        yield Finding(
            "turbo",
            "warning",
            "the clock rises and falls with temperature",
            "switch boost off in /sys/devices/system/cpu/cpufreq/boost for steadier numbers",
        )


def _memory() -> Finding:
    free = available()
    if free < 4 * GIB:
        return Finding(
            "memory", "warning", f"{free / GIB:.1f} GiB free", "large workloads want 4 GiB or more"
        )
    return Finding("memory", "good", f"{free / GIB:.1f} GiB free")


def _disk(what: str, folder: Path, wanted: int) -> Finding:
    free = shutil.disk_usage(folder).free
    found = f"{free / GIB:.1f} GiB free in {folder}"
    if free < wanted:
        return Finding(
            f"disk for the {what}",
            "warning",
            found,
            "free some, or set STONE_CACHE and STONE_DATA to folders elsewhere",
        )
    return Finding(f"disk for the {what}", "good", found)


def _timer() -> Finding:
    step = min(_ticks(time.perf_counter_ns))
    state: Literal["good", "warning"] = "good" if step < 10_000 else "warning"
    return Finding("clock", state, f"resolution {step} ns")


def _ticks(clock: Callable[[], int]) -> Iterator[int]:
    for _ in range(100):
        start = now = clock()
        while now == start:
            now = clock()
        yield now - start
