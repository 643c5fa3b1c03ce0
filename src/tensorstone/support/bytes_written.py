"""How much a process has written: what progress of a download is read from."""

from __future__ import annotations


def bytes_written(pid: int) -> int:
    """What a process and those it started have written so far."""
    import psutil

    total = 0
    try:
        first = psutil.Process(pid)
        for process in (first, *first.children(recursive=True)):
            total += process.io_counters().write_chars
    except (psutil.Error, AttributeError):  # just ended; or a system that does not count
        pass
    return total
