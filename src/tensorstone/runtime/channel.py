"""The host's end of the worker's pipe: JSON lines that never block past a deadline."""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from typing import Any

from tensorstone.runtime import messages

LONGEST_LINE = 16 * 2**20


class Garbage(Exception):
    """Something on the pipe that is not a line of the protocol."""


class Closed(Exception):
    """Nobody is at the other end."""


class Channel:
    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read, self._write = read_fd, write_fd
        self._buffer = b""
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)

    def send(self, message: dict[str, Any], deadline: float) -> None:
        """Write one message. Raises TimeoutError (by time.monotonic) or Closed."""
        data = json.dumps(message).encode() + b"\n"
        while data:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                if select.select([], [self._write], [], left)[1]:
                    data = data[os.write(self._write, data) :]
            except (OSError, ValueError) as error:  # broken, or hung up by another thread
                raise Closed from error

    def receive(self, wait_s: float) -> dict[str, Any] | None:
        """The next message, or None if there is none within `wait_s`."""
        deadline = time.monotonic() + wait_s
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_LINE:
                raise Garbage(messages.ENDLESS_LINE)
            left = deadline - time.monotonic()
            if not select.select([self._read], [], [], max(0.0, left))[0]:
                return None
            data = os.read(self._read, 65536)
            if not data:
                raise Closed
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return _parse(line) if line else self.receive(max(0.0, deadline - time.monotonic()))

    def hang_up(self) -> None:
        """Let go of the worker: its keeper notices and ends it. From any thread."""
        fd, self._write = self._write, -1
        _close(fd)

    def close(self) -> None:
        """Both ends, once: by the second time their numbers may be another thread's files."""
        self.hang_up()
        fd, self._read = self._read, -1
        _close(fd)


def _close(fd: int) -> None:
    with contextlib.suppress(OSError):
        os.close(fd)


def _parse(line: bytes) -> dict[str, Any]:
    """One JSON object. What is no number is let through: losses may be none."""
    try:
        message = json.loads(line.decode())  # bytes would be read leniently
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Garbage(repr(line[:80].decode("utf-8", "replace")))
    return _whole(message) if b"\\u" in line else message


def _whole(value: Any) -> Any:
    """Without half characters (lone surrogates), which neither a file nor a terminal takes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
