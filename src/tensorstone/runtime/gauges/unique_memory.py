"""Memory that a worker has to itself: what the machine would get back if it went.

Resident memory counts a library that twenty processes share twenty times over. This counts no page
that another process also maps. The kernel walks the page tables for it, some milliseconds for
gigabytes, so it is for after a block, never for sampling.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tensorstone.runtime.gauges import files

# Of swapped pages the kernel says only the fair share (each divided by who shares it).
COLUMNS = ("Private_Clean", "Private_Dirty", "Private_Hugetlb", "SwapPss")


def unique(pids: Iterable[int], proc: Path = files.PROC) -> int | None:
    """Bytes, all these processes together. One that is gone has none; None if one is hidden."""
    total, seen = 0, False
    for pid in pids:
        folder = proc / str(pid)
        own = _bytes(files.text(folder / "smaps_rollup") or "")
        if own is not None:
            total, seen = total + own, True
        elif not _gone(folder):
            return None
    return total if seen else None


def _bytes(rollup: str) -> int | None:
    entries = dict(line.partition(":")[::2] for line in rollup.splitlines())
    if "Private_Dirty" not in entries:
        return None
    try:
        return 1024 * sum(int(entries[name].split()[0]) for name in COLUMNS if name in entries)
    except (IndexError, ValueError):
        return None


def _gone(folder: Path) -> bool:
    """Whether it ended, if only to wait until it is collected; then it has no memory."""
    fields = (files.text(folder / "stat") or "").rpartition(")")[2].split()
    return not fields or fields[0] in "ZX"
