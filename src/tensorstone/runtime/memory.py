"""How much memory a worker may take, and whether the kernel took one away."""

from __future__ import annotations

from pathlib import Path

import psutil

SHARE = 0.8  # of what is available when the worker starts
_CGROUP = Path("/sys/fs/cgroup")


def default_limit() -> int:
    return int(available() * SHARE)


def available() -> int:
    """Bytes free for use, on this machine and in this container."""
    free = int(psutil.virtual_memory().available)
    limit, used = _number("memory.max"), _number("memory.current")
    return free if limit is None or used is None else min(free, max(0, limit - used))


def kernel_kills() -> int:
    """How often the kernel has killed for want of memory since boot."""
    try:
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def _number(name: str) -> int | None:
    try:
        return int((_CGROUP / name).read_text(encoding="ascii"))
    except (OSError, ValueError):  # not in such a container, or "max": no limit
        return None
