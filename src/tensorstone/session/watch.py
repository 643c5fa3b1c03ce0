"""What a person sees while they wait, on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorstone.race.stop import duration
from tensorstone.report.units import seconds
from tensorstone.results.events import Progress, Silent
from tensorstone.results.trial import Block, Trial
from tensorstone.session.proving import Watch


def bar(*columns: Any) -> Any:
    """The one look of every bar."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(bar_width=24),
        *columns,
        progress.TextColumn("{task.fields[note]}", style="dim"),
        console=Console(stderr=True),
        transient=True,
    )


class _ProofBar:
    def __init__(self, total: int) -> None:
        from rich import progress

        self._bar = bar(progress.MofNCompleteColumn(), progress.TimeRemainingColumn(compact=True))
        self._task = self._bar.add_task("proving", total=total, note="")
        self._under_way: dict[str, None] = {}
        self._bar.start()

    def started(self, cell: str) -> None:
        self._under_way[cell] = None
        self._say()

    def ended(self, cell: str, status: str) -> None:
        self._under_way.pop(cell, None)
        self._bar.advance(self._task)
        self._say()

    def _say(self) -> None:
        self._bar.update(self._task, note=", ".join(self._under_way)[:50])

    def close(self) -> None:
        self._bar.stop()


class _ProofLines:
    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0

    def started(self, cell: str) -> None:
        pass

    def ended(self, cell: str, status: str) -> None:
        self._done += 1
        print(f"proved {self._done}/{self._total}: {cell} {status}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


@contextmanager
def proofs(total: int) -> Iterator[Watch]:
    """The watch over so many proofs."""
    watch = _ProofBar(total) if sys.stderr.isatty() else _ProofLines(total)
    try:
        yield watch
    finally:
        watch.close()


class _RaceBar(Silent):
    """The bar is time: how much of what is expected has gone by."""

    def __init__(self, label: str, budget_s: float) -> None:
        from rich import progress

        self._bar = bar(progress.TimeElapsedColumn(), progress.TimeRemainingColumn(compact=True))
        self._label = label
        self._task = self._bar.add_task(label, total=budget_s, note="")
        self._began = time.monotonic()
        self._bar.start()

    def trial_started(self, trial: Trial) -> None:
        self._tick(note=f"round {trial.round}: {trial.dialect} starts")

    def block(self, trial: Trial, index: int, block: Block) -> None:
        step = f"{trial.dialect} {seconds(block.step_s)} a step"
        self._tick(note=f"round {trial.round}, turn {index + 1}: {step}")

    def trial_ended(self, trial: Trial, progress: Progress) -> None:
        elapsed = time.monotonic() - self._began
        self._bar.update(self._task, completed=elapsed, total=elapsed + progress.left_s)

    def note(self, text: str) -> None:
        self._bar.console.print(f"{self._label}: {text}", markup=False)

    def _tick(self, note: str) -> None:
        self._bar.update(self._task, completed=time.monotonic() - self._began, note=note)

    def close(self) -> None:
        self._bar.stop()


class _RaceLines(Silent):
    def __init__(self, label: str, budget_s: float) -> None:
        self._label = label

    def trial_ended(self, trial: Trial, progress: Progress) -> None:
        ended: str = trial.outcome.status
        if trial.outcome.ok and trial.blocks:
            ended = f"{seconds(trial.blocks[-1].step_s)} a step"
        left = f", at most {duration(progress.left_s)} left" if progress.left_s else ""
        self.note(f"round {trial.round}, {trial.dialect}: {ended}{left}")

    def note(self, text: str) -> None:
        print(f"{self._label}: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


@contextmanager
def race(label: str, budget_s: float) -> Iterator[Silent]:
    """The watch over a race of about this length."""
    watch = _RaceBar(label, budget_s) if sys.stderr.isatty() else _RaceLines(label, budget_s)
    try:
        yield watch
    finally:
        watch.close()


@contextmanager
def looks(label: str, total: int) -> Iterator[Callable[[], None]]:
    """The watch over so many short looks; call what is given after each."""
    if not sys.stderr.isatty():
        print(label, file=sys.stderr, flush=True)
        yield lambda: None
        return
    with bar() as shown:
        task = shown.add_task(label, total=total, note="")
        yield lambda: shown.advance(task)
