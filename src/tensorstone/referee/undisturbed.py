"""One timing at a time on a machine: two at once would both be wrong."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tensorstone.errors import StoneError

NAME = "stone-timing.lock"


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Hold the machine's lock for timing, which the kernel gives back however its holder dies;
    a mistake of the user's if another stone holds it."""
    path = Path(tempfile.gettempdir()) / NAME
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise StoneError(f"{path} cannot be opened: {error.strerror}", "set TMPDIR") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(OSError):  # another user's file: then others may write there too
            os.fchmod(descriptor, 0o666)
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode("ascii"))
        yield
    except BlockingIOError as error:
        holder = os.read(descriptor, 20).decode("ascii", "replace")
        raise StoneError(
            f"another stone is timing on this machine (process {holder or 'unknown'})",
            "two at once would both be wrong: wait until it has ended",
        ) from error
    finally:
        os.close(descriptor)
