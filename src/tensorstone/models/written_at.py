"""On which line of a workload's file each layer is written: noted while the file runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_noting: ContextVar[Noted | None] = ContextVar("noting", default=None)


class Noted:
    """The lines of what one file has made; it holds the parts, so that no id is used twice."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lines: dict[int, tuple[object, int]] = {}

    def note(self, part: object) -> None:
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                self._lines[id(part)] = (part, frame.f_lineno)
                return
            frame = frame.f_back  # type: ignore[assignment]

    def line(self, part: object) -> int | None:
        found = self._lines.get(id(part))
        return found[1] if found else None


@contextmanager
def noting(file: str) -> Iterator[Noted]:
    """Note every part that is made by this file meanwhile."""
    noted = Noted(file)
    token = _noting.set(noted)
    try:
        yield noted
    finally:
        _noting.reset(token)


def made(part: object) -> None:
    """Called by every part of a model when it is made."""
    if noted := _noting.get():
        noted.note(part)
