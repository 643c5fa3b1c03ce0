"""A folder for one command's files. It goes when the command ends; if that was killed, with a
later one."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tensorstone.support import messages
from tensorstone.support.errors import StoneError

PREFIX = "stone-run-"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
YOUNG_S = 60.0  # it may just have been made, and be about to be held


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is held until the end, by a lock which the kernel gives back however its
    holder dies."""
    parent = Path(_parent())
    _sweep(parent)
    with (
        _room(parent),
        tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as name,
        _open(name) as descriptor,
    ):
        with contextlib.suppress(OSError):  # no locks there: then nobody sweeps there either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Path(name)


def _parent() -> str:
    try:
        return tempfile.gettempdir()  # which tries to write in it
    except OSError as error:
        raise StoneError(*messages.no_temporary_folder(error.strerror)) from error


@contextlib.contextmanager
def _room(parent: Path) -> Iterator[None]:
    """A full disk becomes a message that says which folder is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StoneError(*messages.temporary_folder_full(parent, error.strerror)) from error


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
