"""A folder for one command's files. It goes when the command ends; if that was killed, with a
later one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PREFIX = "stone-run-"
YOUNG_S = 60.0  # it may just have been made, and be about to be held


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is held until the end, by a lock which the kernel gives back however its
    holder dies."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, _open(name) as descriptor:
        with contextlib.suppress(OSError):  # no locks there: then nobody sweeps there either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Path(name)


def _sweep(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        # Suppressed: it is held, another user's, or gone meanwhile.
        with contextlib.suppress(OSError), _open(folder) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            status = os.fstat(descriptor)
            if status.st_uid == os.getuid() and time.time() - status.st_mtime > YOUNG_S:
                shutil.rmtree(folder)


@contextlib.contextmanager
def _open(folder: str | Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
