"""What a person sees while they wait, on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorstone.models.workload import Workload
from tensorstone.report.training import score
from tensorstone.report.units import digits, seconds
from tensorstone.results.comparison import Assembled
from tensorstone.results.events import Observer, RaceProgress, SilentObserver
from tensorstone.results.settings import TrainingSettings
from tensorstone.results.trial import Block, Epoch, Trial
from tensorstone.session.watch import ProofWatch
from tensorstone.support.durations import duration
from tensorstone.support.progress import for_stderr


def bar(*columns: Any) -> Any:
    """The one look of every bar."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=24),
        *columns,
        progress.TextColumn("{task.fields[note]}", style="dim", markup=False),
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
        print(f"proof {self._done}/{self._total}: {cell}: {status}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class _TimedBar(SilentObserver):
    """The bar is time: how much of what is expected has gone by."""

    def __init__(self, label: str, total_s: float | None) -> None:
        from rich import progress

        self._bar = bar(progress.TimeElapsedColumn(), progress.TimeRemainingColumn(compact=True))
        self._label = label
        self._task = self._bar.add_task(label, total=total_s, note="")
        self._began = time.monotonic()
        self._bar.start()

    def note(self, text: str) -> None:
        self._bar.console.print(f"{self._label}: {text}", markup=False)

    def _tick(self, note: str, left_s: float | None = None) -> None:
        elapsed = time.monotonic() - self._began
        total = {} if left_s is None else {"total": elapsed + left_s}
        self._bar.update(self._task, completed=elapsed, note=note, **total)

    def close(self) -> None:
        self._bar.stop()


class _RaceBar(_TimedBar):
    def trial_started(self, trial: Trial) -> None:
        self._tick(note=f"round {trial.round}: {trial.dialect} starts")

    def block(self, trial: Trial, index: int, block: Block) -> None:
        step = f"{trial.dialect} {seconds(block.step_s)} a step"
        self._tick(note=f"round {trial.round}, turn {index + 1}: {step}")

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
        self._tick(note="", left_s=progress.left_s)


class _Lines(SilentObserver):
    def __init__(self, label: str) -> None:
        self._label = label

    def note(self, text: str) -> None:
        print(f"{self._label}: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class _RaceLines(_Lines):
    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
        ended: str = trial.outcome.status
        if trial.outcome.ok and trial.blocks:
            ended = f"{seconds(trial.blocks[-1].step_s)} a step"
        left = f", at most {duration(progress.left_s)} left" if progress.left_s else ""
        self.note(f"round {trial.round}, {trial.dialect}: {ended}{left}")


class Teller:
    """An epoch in one line."""

    def __init__(self, workload: Workload, settings: TrainingSettings) -> None:
        self.label, self._settings = f"training {workload.name}", settings
        self._recipe = workload.recipe

    def who(self, trial: Trial) -> str:
        seeds = self._settings.seeds
        return trial.dialect if seeds == 1 else f"{trial.dialect}, seed {trial.round}/{seeds}"

    def epoch(self, epoch: Epoch) -> str:
        rate = epoch.steps * self._recipe.batch / max(epoch.train_s, 1e-9)
        return (
            f"epoch {epoch.number}/{self._settings.epochs}: loss {digits(epoch.loss)}, "
            f"{self._recipe.metric} {score(self._recipe.metric, epoch.metric)}, "
            f"{digits(rate)} samples/s"
        )


class _TrainingBar(_TimedBar):
    def __init__(self, teller: Teller) -> None:
        super().__init__(teller.label, None)
        self._teller = teller

    def trial_started(self, trial: Trial) -> None:
        self._tick(note=self._teller.who(trial))

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None:
        note = f"{self._teller.who(trial)} {self._teller.epoch(epoch)}"
        self._tick(note=note, left_s=left_s)


class _TrainingLines(_Lines):
    def __init__(self, teller: Teller) -> None:
        super().__init__(teller.label)
        self._teller = teller

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None:
        left = f", about {duration(left_s)} left" if left_s else ""
        self.note(f"{self._teller.who(trial)}, {self._teller.epoch(epoch)}{left}")

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
        if not trial.outcome.ok:
            who = self._teller.who(trial)
            self.note(f"{who}: {trial.outcome.status}: {trial.outcome.reason}")


class Terminal:
    """The watch of a command: everything on standard error; `done` is told of each result."""

    def __init__(self, done: Callable[[Assembled], None] = lambda result: None) -> None:
        self.installing = for_stderr()
        self._done = done

    @contextmanager
    def proofs(self, total: int) -> Iterator[ProofWatch]:
        watch = _ProofBar(total) if sys.stderr.isatty() else _ProofLines(total)
        try:
            yield watch
        finally:
            watch.close()

    @contextmanager
    def race(self, label: str, budget_s: float) -> Iterator[Observer]:
        watch = _RaceBar(label, budget_s) if sys.stderr.isatty() else _RaceLines(label)
        try:
            yield watch
        finally:
            watch.close()

    @contextmanager
    def trainings(self, workload: Workload, settings: TrainingSettings) -> Iterator[Observer]:
        teller = Teller(workload, settings)
        watch = _TrainingBar(teller) if sys.stderr.isatty() else _TrainingLines(teller)
        try:
            yield watch
        finally:
            watch.close()

    def done(self, result: Assembled) -> None:
        self._done(result)


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
