"""The same number of threads for everyone: variables that say so, and the check that it held."""

from __future__ import annotations

from tensorstone.runtime import messages

# Everything a numerical library is known to read. Those not in a room's own list are set too, so
# that what happens to be in the user's shell never decides a race.
COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
# Where threads run is decided by affinity alone.
PLACEMENT = ("GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND", "OMP_DYNAMIC")

TOLERANCE = 1.1


def variables(threads: int) -> dict[str, str]:
    return {name: str(threads) for name in COUNTS}


def excess(cpu_s: float, wall_s: float, running: float | None, asked: int) -> str:
    """A note when more processor time was used than so many threads can, or more threads ran at
    a time; or nothing."""
    if wall_s > 0 and cpu_s / wall_s > asked * TOLERANCE:
        return messages.more_busy(asked, cpu_s / wall_s)
    if running is not None and running > asked:
        return messages.more_running(asked, running)
    return ""
