"""How many processors others kept busy meanwhile, stolen time included.

What the processors did not idle was used by somebody; what the worker and this process did not use
was used by somebody else. Idle time is taken rather than the busy columns of /proc/stat because
kernels time idleness exactly but charge work by whole ticks to whoever runs when the tick comes: on
two busy processors the busy columns of 0.2 s are wrong by up to 0.08 of a processor, and idle time
by nothing. It also finds what a hypervisor takes without saying so.

/proc counts in ticks of 10 ms. A difference of two readings is therefore off by a tick at most in
each of two columns (idle, and waiting for a disk; the worker's own time is exact): 20 ms, or a
fifth of a processor over 0.1 s and a fiftieth over a second.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tensorstone.results.background import housekeeping
from tensorstone.runtime.gauges import files

TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")

# Rounding alone never exceeds this (see above), so it alone never calls a block disturbed. It is
# 0.2 of a processor over 0.1 s, where a neighbour with a third of one is still two standard errors
# of the rounding (0.6 ticks) above it. In blocks of 0.05 s one with half a processor is seen.
ROUNDING_S = 2 * TICK_S


@dataclass(frozen=True)
class ProcessorReading:
    """Seconds since the system started, all processors together; `at` and `host_s` are ours."""

    at: float
    processors: int
    idle_s: float
    stolen_s: float
    host_s: float  # processor time of this process


def reading(proc: Path = files.PROC) -> ProcessorReading | None:
    lines = (files.text(proc / "stat") or "").splitlines()
    at = time.monotonic()
    try:
        # user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already
        ticks = [int(field) for field in lines[0].split()[1:9]]
        idle, waiting, stolen = ticks[3], ticks[4], ticks[7]
    except (IndexError, ValueError):
        return None
    processors = sum(line.startswith("cpu") for line in lines) - 1  # the first is all together
    if not processors:
        return None
    return ProcessorReading(
        at=at,
        processors=processors,
        idle_s=(idle + waiting) * TICK_S,
        stolen_s=stolen * TICK_S,
        host_s=time.process_time(),
    )


def load(
    before: ProcessorReading | None, after: ProcessorReading | None, own_s: float
) -> float | None:
    """Processors kept busy by neither this process nor the worker's tree, which used `own_s`.

    None when nothing can be said: no reading, no time between them, or processors came or went.
    """
    if not before or not after or after.processors != before.processors:
        return None
    wall_s = after.at - before.at
    if wall_s <= 0:
        return None
    busy_s = wall_s * after.processors - (after.idle_s - before.idle_s)
    return max(0.0, (busy_s - own_s - (after.host_s - before.host_s)) / wall_s)


def meanwhile(seconds: float) -> float | None:
    """The same over a moment of doing nothing, with no worker awake."""
    before = reading()
    time.sleep(seconds)
    return load(before, reading(), 0.0)


def stolen(before: ProcessorReading | None, after: ProcessorReading | None) -> float | None:
    """The share of all processors' time that the hypervisor gave to others, as far as it says."""
    if not before or not after or after.at <= before.at:
        return None
    all_s = (after.at - before.at) * after.processors
    return min(1.0, max(0.0, (after.stolen_s - before.stolen_s) / all_s))


def disturbed(load: float, wall_s: float, processors: int) -> bool:
    """Whether others took so much that a stretch of this length should not be trusted."""
    return load * wall_s > ROUNDING_S and load > housekeeping(processors)
