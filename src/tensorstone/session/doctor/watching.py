"""A second of watching: who else is at work, what is stolen, how clock and temperature drift.

Where clocks can be read one processor is kept busy meanwhile: an idle one slows down on purpose,
and what matters is whether a busy one keeps its pace.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from tensorstone.runtime.gauges import background, files

SECONDS = 1.0
LOOKS = 10
BUSIEST = 3
RISING = 3  # looks until a processor that was idle has found its pace


@dataclass(frozen=True)
class Watched:
    """What was seen. Clocks and temperatures are the highest of each look, in order."""

    wall_s: float
    background_load: float | None = None  # processors that others kept busy
    stolen: float | None = None  # the share of all processors' time
    busiest: tuple[tuple[str, float], ...] = ()  # names, and processors each kept busy
    mhz: tuple[float, ...] = ()
    celsius: tuple[float, ...] = ()


def watch(
    tick: Callable[[], None] = lambda: None,
    seconds: float = SECONDS,
    proc: Path = files.PROC,
    sys: Path = files.SYS,
) -> Watched:
    """Watch for so long; `tick` is called at each of `LOOKS` looks."""
    others = _processes()
    before, start = background.reading(proc), time.monotonic()
    clocks, temperatures = [_mhz(sys)], [_celsius(sys)]
    wait = time.sleep if clocks[0] is None else _spin
    for _ in range(LOOKS):
        wait(seconds / LOOKS)
        clocks.append(_mhz(sys))
        temperatures.append(_celsius(sys))
        tick()
    wall_s, after = time.monotonic() - start, background.reading(proc)
    return Watched(
        wall_s=wall_s,
        background_load=background.load(before, after, own_s=0.0),
        stolen=background.stolen(before, after),
        busiest=_busiest(others),
        mhz=tuple(clock for clock in clocks[RISING:] if clock is not None),
        celsius=tuple(value for value in temperatures if value is not None),
    )


def _processes() -> list[psutil.Process]:
    """Everyone but ourselves, with the count of their processor time begun."""
    found = [process for process in psutil.process_iter(["name"]) if process.pid != os.getpid()]
    return [process for process in found if _processors(process) is not None]


def _busiest(processes: list[psutil.Process]) -> tuple[tuple[str, float], ...]:
    used: defaultdict[str, float] = defaultdict(float)
    for process in processes:
        # A name may be hidden; its work is not.
        used[process.info["name"] or f"process {process.pid}"] += _processors(process) or 0.0
    return tuple(sorted(used.items(), key=lambda entry: -entry[1])[:BUSIEST])


def _processors(process: psutil.Process) -> float | None:
    """Kept busy since the last time this was asked."""
    try:
        return float(process.cpu_percent(None)) / 100
    except psutil.Error:
        return None  # it ended, or is not ours to look at


def _mhz(sys: Path) -> float | None:
    pattern = "cpu[0-9]*/cpufreq/scaling_cur_freq"
    return _highest(files.matching(sys / "devices/system/cpu", pattern))


def _celsius(sys: Path) -> float | None:
    return _highest(files.matching(sys / "class/thermal", "thermal_zone*/temp"))


def _highest(paths: list[Path]) -> float | None:
    """In thousands, as the kernel writes kilohertz and thousandths of a degree."""
    values = [value for path in paths if (value := files.number(path)) is not None]
    return max(values) / 1000 if values else None


def _spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
