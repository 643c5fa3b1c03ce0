"""What a person sees during whole trainings, on standard error: a bar, or a line an epoch."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tensorstone.models.workload import Workload
from tensorstone.race.stop import duration
from tensorstone.report.training import score
from tensorstone.report.units import digits
from tensorstone.results.epoch import Epoch
from tensorstone.results.trial import Trial
from tensorstone.session.training import Watch
from tensorstone.session.training_plan import Terms
from tensorstone.session.watch import bar


class _Teller:
    """An epoch in one line."""

    def __init__(self, workload: Workload, terms: Terms) -> None:
        self.workload, self._terms = workload, terms

    def who(self, dialect: str, seed: int) -> str:
        return dialect if self._terms.seeds == 1 else f"{dialect}, seed {seed}/{self._terms.seeds}"

    def epoch(self, epoch: Epoch) -> str:
        recipe = self.workload.recipe
        rate = epoch.steps * recipe.batch / epoch.train_s
        return (
            f"epoch {epoch.number}/{self._terms.epochs}: loss {digits(epoch.loss)}, "
            f"{recipe.metric} {score(recipe.metric, epoch.metric)}, {digits(rate)} samples/s"
        )


class _Bar:
    """The bar is time: how much of what is expected has gone by."""

    def __init__(self, teller: _Teller) -> None:
        from rich import progress

        self._teller = teller
        self._bar = bar(progress.TimeElapsedColumn(), progress.TimeRemainingColumn(compact=True))
        self._task = self._bar.add_task(f"training {teller.workload.name}", total=None, note="")
        self._began = time.monotonic()
        self._bar.start()

    def started(self, dialect: str, seed: int) -> None:
        self._bar.update(self._task, note=self._teller.who(dialect, seed))

    def epoch(self, dialect: str, seed: int, epoch: Epoch, left_s: float) -> None:
        elapsed = time.monotonic() - self._began
        note = f"{self._teller.who(dialect, seed)} {self._teller.epoch(epoch)}"
        self._bar.update(self._task, completed=elapsed, total=elapsed + left_s, note=note)

    def ended(self, trial: Trial) -> None:
        pass

    def close(self) -> None:
        self._bar.stop()


class _Lines:
    def __init__(self, teller: _Teller) -> None:
        self._teller = teller

    def started(self, dialect: str, seed: int) -> None:
        pass

    def epoch(self, dialect: str, seed: int, epoch: Epoch, left_s: float) -> None:
        left = f", about {duration(left_s)} left" if left_s else ""
        self._say(f"{self._teller.who(dialect, seed)}, {self._teller.epoch(epoch)}{left}")

    def ended(self, trial: Trial) -> None:
        if not trial.outcome.ok:
            who = self._teller.who(trial.dialect, trial.round)
            self._say(f"{who}: {trial.outcome.status}: {trial.outcome.reason}")

    def _say(self, text: str) -> None:
        print(f"training {self._teller.workload.name}: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


@contextmanager
def trainings(workload: Workload, terms: Terms) -> Iterator[Watch]:
    """The watch over one workload's trainings."""
    teller = _Teller(workload, terms)
    watch = _Bar(teller) if sys.stderr.isatty() else _Lines(teller)
    try:
        yield watch
    finally:
        watch.close()
