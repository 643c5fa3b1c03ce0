"""Which process a run belongs to, and whether that process is still running."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Owner:
    host: str
    pid: int
    started: float  # a process with the same pid but another start is another process

    def is_gone(self) -> bool:
        """Only ever true of this machine's processes: of another's nothing can be known."""
        if self.host != platform.node():
            return False
        try:
            process = psutil.Process(self.pid)
            return bool(
                abs(process.create_time() - self.started) > 1.0
                or process.status() == psutil.STATUS_ZOMBIE
            )
        except psutil.NoSuchProcess:
            return True


def this_process() -> Owner:
    return Owner(platform.node(), os.getpid(), float(psutil.Process().create_time()))
