"""Memory and processor time of a worker and its descendants, read from outside.

Nothing runs inside the worker, and there is no sampling thread: the host, while it waits for an
answer, looks every `POLL_S` at the memory of the processes it knows (one small file each), and
looks for new processes every `SEARCH_S`. That is about 0.02 % of one core.
"""

from __future__ import annotations

import os
import time

import psutil

POLL_S = 0.25
SEARCH_S = 2.0
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


class Tree:
    """The worker and everything below it."""

    def __init__(self, keeper: int, worker: int) -> None:
        self._keeper, self._worker = keeper, worker
        self._pids = [worker]
        self._searched = time.monotonic()
        self._peak = 0

    def rss(self) -> int:
        """Resident bytes now, all processes together. New ones are looked for now and then."""
        now = time.monotonic()
        if now - self._searched >= SEARCH_S:
            self.search()
        total = sum(_rss(pid) for pid in self._pids)
        self._peak = max(self._peak, total)
        return total

    def search(self) -> None:
        """Find the processes that there are. The keeper itself is no part of what is measured."""
        self._pids = descendants(self._keeper)
        self._searched = time.monotonic()

    def peak_rss(self) -> int:
        """The most ever resident: exact for one process (the kernel's own high-water mark), the
        highest total seen for several."""
        return max(self._peak, self.rss(), _high_water(self._worker))

    def cpu_s(self) -> float:
        """Processor time used so far by every process alive, and by children already collected."""
        self.search()
        return sum(_cpu_s(pid) for pid in self._pids)


def descendants(pid: int) -> list[int]:
    """Every process below this one, itself not included."""
    found: list[int] = []
    frontier = [pid]
    while frontier:
        below = _children(frontier.pop())
        found += below
        frontier += below
    return found


def _children(pid: int) -> list[int]:
    # Each thread lists the children it started. psutil would read every process of the machine.
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 (cheaper)
    except OSError:
        threads = []  # it ended, or this is not Linux
    listings = [f"/proc/{pid}/task/{thread}/children" for thread in threads]
    if not listings:
        try:
            return [child.pid for child in psutil.Process(pid).children()]
        except psutil.Error:
            return []
    return [int(child) for listing in listings for child in _read(listing).split()]


def _rss(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    if fields:
        return int(fields[1]) * _PAGE
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def _high_water(pid: int) -> int:
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_s(pid: int) -> float:
    """By its own clock, which counts nanoseconds where /proc counts ticks; children that were
    waited for are in ticks."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    try:
        if fields:
            children_s = (int(fields[13]) + int(fields[14])) * _TICK_S
            return time.clock_gettime(cpu_clock(pid)) + children_s
        return float(sum(psutil.Process(pid).cpu_times()[:4]))
    except (OSError, psutil.Error):  # it ended
        return 0.0


def cpu_clock(pid: int) -> int:
    """The kernel's number for a process's clock: see clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 (cheaper)
            return file.read()
    except OSError:
        return ""  # it ended, or this is not Linux
