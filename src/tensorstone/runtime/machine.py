"""Reading what machine this is. What cannot be read is None, never guessed."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil

from tensorstone.results.machine import Machine

NAME = "STONE_MACHINE"  # what a person calls the machine
_CPUS = Path("/sys/devices/system/cpu")


def this_machine() -> Machine:
    cpuinfo = _cpuinfo()
    frequency = psutil.cpu_freq()
    return Machine(
        cpu=cpuinfo.get("model name") or platform.processor() or platform.machine(),
        architecture=platform.machine(),
        logical_cores=os.cpu_count() or 1,
        physical_cores=psutil.cpu_count(logical=False),
        affinity=affinity(),
        memory_bytes=int(psutil.virtual_memory().total),
        swap_bytes=int(psutil.swap_memory().total),
        os=_os(),
        kernel=f"{platform.system()} {platform.release()}",
        libc=" ".join(platform.libc_ver()).strip(),
        python=platform.python_version(),
        hypervisor="hypervisor" in cpuinfo["flags"].split() if "flags" in cpuinfo else None,
        governor=_text(_CPUS / "cpu0/cpufreq/scaling_governor"),
        turbo=_turbo(),
        max_mhz=float(frequency.max) or None if frequency else None,
        smt=_switch(_CPUS / "smt/active"),
        hostname=platform.node(),
        name=os.environ.get(NAME) or platform.node(),
    )


def affinity() -> tuple[int, ...]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def _turbo() -> bool | None:
    off = _switch(_CPUS / "intel_pstate/no_turbo")
    return _switch(_CPUS / "cpufreq/boost") if off is None else not off


def _os() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.platform(terse=True)


def _cpuinfo() -> dict[str, str]:
    """The first processor's entries."""
    entries: dict[str, str] = {}
    for line in (_text(Path("/proc/cpuinfo")) or "").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            entries.setdefault(name.strip(), value.strip())
    return entries


def _switch(path: Path) -> bool | None:
    text = _text(path)
    return None if text is None else text == "1"


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
