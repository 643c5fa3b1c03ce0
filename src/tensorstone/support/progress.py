"""How long work shows itself: bars on a terminal, plain lines elsewhere, always stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

_EVERY_SECONDS = 10.0


class Progress(Protocol):
    """What whoever makes an environment tells whoever is watching."""

    def start(self, label: str, total_bytes: int) -> None:
        """Something begins; 0 bytes when its size is not known."""

    def advance(self, done_bytes: int, note: str) -> None:
        """It is so far, and doing this."""

    def finish(self) -> None:
        """It is over, well or not: well if all its bytes are done."""


class NoProgress:
    """Nobody is watching."""

    def start(self, label: str, total_bytes: int) -> None: ...

    def advance(self, done_bytes: int, note: str) -> None: ...

    def finish(self) -> None: ...


class Bar:
    """One bar at a time: what, how much of how much, time left, and what is being done."""

    def start(self, label: str, total_bytes: int) -> None:
        from rich import progress
        from rich.console import Console

        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=24),
            progress.DownloadColumn(),
            progress.TimeRemainingColumn(compact=True),
            progress.TextColumn("{task.fields[note]}", style="dim"),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task(label, total=total_bytes or None, note="")
        self._bar.start()

    def advance(self, done_bytes: int, note: str) -> None:
        self._bar.update(self._task, completed=done_bytes, note=_short(note))

    def finish(self) -> None:
        self._bar.stop()


class Lines:
    """For logs and pipes: a line at the start, then one now and then."""

    def __init__(
        self,
        out: TextIO,
        clock: Callable[[], float] = time.monotonic,
        bytes_are: str = "on disk",
    ) -> None:
        self._out = out
        self._clock = clock
        self._bytes_are = bytes_are

    def start(self, label: str, total_bytes: int) -> None:
        self._label, self._total = label, total_bytes
        self._done = 0
        self._began = self._said = self._clock()
        self._say(f"{size(total_bytes)} {self._bytes_are}" if total_bytes else "")

    def advance(self, done_bytes: int, note: str) -> None:
        self._done = done_bytes
        now = self._clock()
        if now - self._said < _EVERY_SECONDS:
            return
        self._said = now
        self._say(
            f"{size(done_bytes)} of {size(self._total)}",
            time_left(now - self._began, done_bytes, self._total),
            note,
        )

    def finish(self) -> None:
        if self._done >= self._total > 0:
            self._say(f"done in {self._clock() - self._began:.0f} s")

    def _say(self, *parts: str) -> None:
        print(
            ": ".join(filter(None, (self._label, ", ".join(filter(None, parts))))), file=self._out
        )
        self._out.flush()


@contextmanager
def shown(progress: Progress, label: str, total_bytes: int = 0) -> Iterator[None]:
    """Start showing, and finish however it ends."""
    progress.start(label, total_bytes)
    try:
        yield
    finally:
        progress.finish()


def for_stderr(bytes_are: str = "on disk") -> Progress:
    """The progress that suits where standard error goes."""
    return Bar() if sys.stderr.isatty() else Lines(sys.stderr, bytes_are=bytes_are)


def size(count: int) -> str:
    """Bytes as a person says them: 757 MB."""
    number = float(count)
    for unit in ("bytes", "kB", "MB"):
        if number < 999.5:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def time_left(elapsed: float, done: int, total: int) -> str:
    """A guess from the speed so far; nothing before there is a speed."""
    if not 0 < done < total:
        return ""
    return f"about {elapsed * (total - done) / done:.0f} s left"


def _short(note: str, width: int = 30) -> str:
    return note if len(note) <= width else note[: width - 1] + "…"
