"""Is this machine fit to measure on? Findings in plain words, each with what to do about it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tensorstone.bench.memory import available
from tensorstone.dialects.registry import Framework, frameworks
from tensorstone.envs import environment, interpreters
from tensorstone.envs.folders import cache_dir, data_dir
from tensorstone.ledger.machine import Machine
from tensorstone.referee.noise import Noise

GIB = 2**30


@dataclass(frozen=True)
class Finding:
    """`state`: good, a warning that numbers will be worse for it, or bad: something cannot run."""

    what: str
    state: Literal["good", "warning", "bad"]
    found: str
    advice: str = ""


def examine(machine: Machine, noise: Noise | None) -> list[Finding]:
    """Everything that is looked at."""
    findings = [
        *_processors(machine),
        _load(machine),
        _memory(),
        _disk("environments", cache_dir(), 8 * GIB),
        _disk("ledger", data_dir(), GIB),
        _timer(),
        *(_framework(f) for f in frameworks().values() if f.python),
        _compiler(),
    ]
    if noise:
        findings.append(_noise(noise))
    return findings


def _processors(machine: Machine) -> Iterator[Finding]:
    count = len(machine.affinity)
    yield Finding("processors", "good", f"{machine.cpu}, {count} to use")
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


def _load(machine: Machine) -> Finding:
    load = os.getloadavg()[0]
    if load > 0.3 * len(machine.affinity):
        return Finding(
            "other load", "warning", f"{load:.1f} processes are running", "close what you can"
        )
    return Finding("other load", "good", f"{load:.1f} processes are running")


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
    return Finding("clock", state, f"resolves {step} ns")


def _ticks(clock: Callable[[], int]) -> Iterator[int]:
    for _ in range(100):
        start = now = clock()
        while now == start:
            now = clock()
        yield now - start


def _framework(framework: Framework) -> Finding:
    if found := environment.find(framework):
        return Finding(framework.title, "good", f"{found.version} on Python {found.python_version}")
    try:
        interpreters.find(framework.python)
    except interpreters.MissingInterpreter as missing:
        return Finding(framework.title, "bad", missing.message, missing.hint)
    return Finding(
        framework.title, "good", "not installed yet", f"stone env install {framework.name}"
    )


def _compiler() -> Finding:
    if shutil.which("g++"):
        return Finding("C++ compiler", "good", "g++ is there, for pytorch/compile")
    return Finding(
        "C++ compiler",
        "bad",
        "no g++: pytorch/compile cannot run",
        "install it: apt-get install g++, or your system's own way",
    )


def _noise(noise: Noise) -> Finding:
    found = (
        f"the same program against itself: ratio {noise.ratio:.3f} in {noise.rounds} rounds; "
        f"differences below {noise.floor:.1%} are noise here"
    )
    if noise.floor > 0.05:
        return Finding("noise floor", "warning", found, "close other programs and measure again")
    return Finding("noise floor", "good", found)
