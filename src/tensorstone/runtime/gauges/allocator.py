"""Whether the C library gives freed memory back at once, or keeps it for the next step.

By default glibc takes every large array from the kernel and gives it back when it is freed, so a
program that allocates its activations anew each step pays a page fault for every 4 KiB of them,
each time: three arrays of 64 MiB a step are 49,000 faults. A framework that keeps its own pool pays
none. Kept memory takes that difference away, for whoever wants to compare the rest.

What it takes, by counting the faults of such a loop under glibc 2.36:

- MALLOC_TRIM_THRESHOLD_ alone does nothing: large arrays never reach the heap that it is about.
- MALLOC_MMAP_THRESHOLD_ moves them there, but older releases refuse more than 32 MiB.
  MALLOC_MMAP_MAX_=0 says the same without a limit.
- Both keep the main thread's memory only. Any other thread has heaps of 64 MiB, which are given
  back whole, and takes from the kernel what is larger. MALLOC_ARENA_MAX=1 lets all threads share
  the main one: no fault is left, in any thread, at any size. The price is a lock that they share.
- MALLOC_TOP_PAD_ helps other threads up to 64 MiB; with one arena it is not needed.
- GLIBC_TUNABLES sets the same knobs by other names and does nothing better.

Kept memory is more memory: aligned arrays leave slivers that are not merged at once (each thread
caches small pieces), so a heap may grow for the first five steps or so, to five times its arrays at
worst, and only then faults no more. Peaks measured this way are not the program's need.

Libraries that ask the kernel directly, or bring an allocator of their own, are not reached.
"""

from __future__ import annotations

import os
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.gauges import files

_KEPT = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(2**62),
    "MALLOC_ARENA_MAX": "1",
}
# All that steer it. What is not set on purpose must not come from the user's shell.
NAMES = (
    *_KEPT,
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TOP_PAD_",
    "MALLOC_ARENA_TEST",
    "MALLOC_PERTURB_",
    "MALLOC_CHECK_",
)


def variables(kept: bool) -> dict[str, str]:
    """What to set in a worker's environment; nothing for the system's own way."""
    return dict(_KEPT) if kept and library().startswith("glibc") else {}


def library(root: Path = Path("/")) -> str:
    """Which C library there is: `glibc 2.36`, `musl`, or that it is another."""
    try:
        if name := os.confstr("CS_GNU_LIBC_VERSION"):
            return name
    except (AttributeError, OSError, ValueError):
        pass  # not glibc's
    return "musl" if files.matching(root / "lib", "ld-musl-*") else messages.OTHER_C_LIBRARY
