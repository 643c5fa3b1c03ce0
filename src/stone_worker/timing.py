"""One timed stretch: wall clock, and what the operating system counted meanwhile."""

import gc
import resource
from time import perf_counter

from stone_worker import counters


def timed(work):
    """Run `work()` and return (its result, wall seconds)."""
    start = perf_counter()
    result = work()
    return result, perf_counter() - start


def measured(work):
    """Run `work()` with the garbage collector at rest; what it took. Its result is dropped after.

    Processor time is this process's, all threads, user and system. Instructions (counters.py) are
    read outside of both clocks, since reading them visits every thread.
    """
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        counted = counters.reading()
        before = resource.getrusage(resource.RUSAGE_SELF)
        start = perf_counter()
        result = work()
        wall_s = perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
        instructions = counters.instructions(counted, counters.reading())
    finally:
        if enabled:
            gc.enable()
    del result
    return {
        "wall_s": wall_s,
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "system_s": after.ru_stime - before.ru_stime,
        "minor_faults": after.ru_minflt - before.ru_minflt,
        "major_faults": after.ru_majflt - before.ru_majflt,
        "voluntary": after.ru_nvcsw - before.ru_nvcsw,
        "involuntary": after.ru_nivcsw - before.ru_nivcsw,
        "instructions": instructions,
    }
