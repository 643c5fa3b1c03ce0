"""Running a package registry's own client under watch."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tensorstone.data import messages
from tensorstone.data.refused import DataRefused
from tensorstone.support.bytes_written import bytes_written
from tensorstone.support.progress import Progress

_POLL_SECONDS = 0.2
STALLED_SECONDS = 120.0  # without a byte written
_NOISE = ("npm error code", "npm error errno", "npm ERR! code", "npm ERR! errno")
_MARKS = ("npm error ", "npm ERR! ", "E: ")


def run(
    command: Sequence[str],
    folder: Path,
    progress: Progress,
    total_bytes: int = 0,
    writes: int = 1,
    stalled_after: float = STALLED_SECONDS,
) -> Path:
    """Run it in `folder` to its end; the file its standard output went to. Raises DataRefused.

    `writes` is how often the client writes what it fetches, as progress is told by that.
    """
    if not shutil.which(command[0]):
        raise DataRefused(messages.no_program(command[0]))
    out = folder / f"{command[0]}.out"
    with tempfile.TemporaryFile() as err, out.open("wb") as said:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=err,
            env={**os.environ, "LC_ALL": "C.UTF-8"},  # errors in the language of the marks above
        )
        try:
            _watch(process, progress, total_bytes, writes, stalled_after)
        except BaseException:
            process.kill()
            process.wait()
            raise
        err.seek(0)
        if process.returncode:
            last = reason(err.read().decode(errors="replace"))
            told = last or f"exit code {process.returncode}"
            raise DataRefused(messages.program_failed(command[0], told))
    return out


def reason(said: str) -> str:
    """The line of a client's words that says what went wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    marked = [line for line in lines if line.startswith(_MARKS) and not line.startswith(_NOISE)]
    told = (marked or lines[-1:] or [""])[0]
    for mark in _MARKS:
        told = told.removeprefix(mark)
    return told


def _watch(
    process: subprocess.Popen[bytes],
    progress: Progress,
    total_bytes: int,
    writes: int,
    stalled_after: float,
) -> None:
    written, since = 0, time.monotonic()
    while process.poll() is None:
        now = bytes_written(process.pid)
        if now > written:
            written, since = now, time.monotonic()
        if time.monotonic() - since > stalled_after:
            raise DataRefused(messages.stalled(stalled_after))
        progress.advance(min(written // writes, total_bytes), "fetching")
        time.sleep(_POLL_SECONDS)
