"""Writing a file completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from tensorstone.support import messages
from tensorstone.support.errors import StoneError


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary file and rename it: if the disk is full, the old content stays."""
    part = None
    try:
        path = path.resolve()  # through a link, to what it names
        part = path.with_name(f".{os.getpid()}.part")
        # What is no file (a pipe, /dev/stdout) cannot be replaced: it is written to.
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except (OSError, RuntimeError, ValueError) as error:  # also links in a circle, no name at all
        if part is not None:
            part.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise StoneError(*messages.file_not_written(path, reason)) from None
