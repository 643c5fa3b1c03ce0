"""One process at a time: a lock that the kernel gives back however its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path


@contextmanager
def file_locked(path: Path, waiting: AbstractContextManager[object] | None = None) -> Iterator[int]:
    """Hold the lock file at `path`, entering `waiting` only if it must be waited for.

    Yields the descriptor. A child that inherits it holds the lock too: should this process be
    killed, nobody else gets in while the child it left behind is still writing. The file stays:
    removing it would let two processes hold two different files of that name.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with waiting or nullcontext():
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
