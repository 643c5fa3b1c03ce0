"""How many threads run at this moment, to hold against how many were asked for.

The kernel's R is "running or ready to": a thread that waits for a processor counts too, and so does
one that only spins. Sampled over a block it tells a library that uses two threads of four from one
that uses four half of the time, which processor time cannot.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tensorstone.runtime.gauges import files


def running(pids: Iterable[int], proc: Path = files.PROC) -> int | None:
    """Threads of these processes that are in state R; None where that cannot be seen."""
    states = [state for pid in pids for state in _states(proc / str(pid))]
    return states.count("R") if states else None


def _states(process: Path) -> list[str]:
    found = []
    for path in files.matching(process / "task", "*/stat"):
        # The name, in brackets, may hold anything; the state comes after it.
        fields = (files.text(path) or "").rpartition(")")[2].split()
        found += fields[:1]
    return found
