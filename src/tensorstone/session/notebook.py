"""What a person sees while they wait in a notebook: a bar in the cell's output, which goes when the
work is done."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorstone.models.workload import Workload
from tensorstone.report.units import seconds
from tensorstone.results.comparison import Assembled
from tensorstone.results.events import Observer, RaceProgress, SilentObserver
from tensorstone.results.settings import TrainingSettings
from tensorstone.results.trial import Block, Epoch, Trial
from tensorstone.session.terminal import Teller
from tensorstone.session.watch import ProofWatch

EVERY_S = 0.3  # a browser that redraws oftener takes processor time from what is measured


def in_notebook() -> bool:
    """Whether this process is a notebook's kernel; nothing is imported to find out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class _Bar:
    """One line of words and how far it is, drawn no oftener than it must be."""

    def __init__(self, label: str) -> None:
        import IPython.display

        shown: Any = IPython.display  # it has no types
        self._label, self._drawn = label, 0.0
        self._handle = shown.display(self._bundle(0.0, ""), raw=True, display_id=True)

    def draw(self, share: float, note: str, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._drawn >= EVERY_S:
            self._drawn = now
            self._handle.update(self._bundle(share, note), raw=True)

    def close(self) -> None:
        self._handle.update({"text/html": "", "text/plain": ""}, raw=True)

    def _bundle(self, share: float, note: str) -> dict[str, str]:
        """As a page shows it, and as text for who has no page."""
        done = min(max(share, 0.0), 1.0)
        bar = f'<progress max="1" value="{done:.3f}"></progress>'
        words = f"{html.escape(self._label)} <small>{html.escape(note)}</small>"
        return {
            "text/html": f'<div role="status">{bar} {words}</div>',
            "text/plain": f"{self._label}: {done:.0%} {note}".rstrip(),
        }


class _Proofs:
    def __init__(self, bar: _Bar, total: int) -> None:
        self._bar, self._total, self._done = bar, max(total, 1), 0

    def started(self, cell: str) -> None:
        self._bar.draw(self._done / self._total, cell)

    def ended(self, cell: str, status: str) -> None:
        self._done += 1
        self._bar.draw(self._done / self._total, f"{cell}: {status}", at_once=True)


class _Measuring(SilentObserver):
    """The share is time: how much of what is expected has gone by."""

    def __init__(self, bar: _Bar, total_s: float, teller: Teller | None = None) -> None:
        self._bar, self._total_s, self._teller = bar, total_s, teller
        self._began = time.monotonic()

    def trial_started(self, trial: Trial) -> None:
        self._say(f"round {trial.round}: {trial.dialect} starts")

    def block(self, trial: Trial, index: int, block: Block) -> None:
        step = f"{trial.dialect} {seconds(block.step_s)} a step"
        self._say(f"round {trial.round}, turn {index + 1}: {step}")

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None:
        self._total_s = time.monotonic() - self._began + left_s
        if self._teller:
            self._say(f"{self._teller.who(trial)} {self._teller.epoch(epoch)}")

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
        self._total_s = time.monotonic() - self._began + progress.left_s

    def _say(self, note: str) -> None:
        self._bar.draw((time.monotonic() - self._began) / max(self._total_s, 1e-9), note)


class _Installing:
    """An environment that is being made."""

    def start(self, label: str, total_bytes: int) -> None:
        self._bar, self._total = _Bar(label), max(total_bytes, 1)

    def advance(self, done_bytes: int, note: str) -> None:
        self._bar.draw(done_bytes / self._total, note)

    def finish(self) -> None:
        self._bar.close()


class Notebook:
    """The watch of a call in a notebook."""

    def __init__(self, done: Callable[[Assembled], None] = lambda result: None) -> None:
        self.installing = _Installing()
        self._done = done

    @contextmanager
    def proofs(self, total: int) -> Iterator[ProofWatch]:
        with _bar("proving") as bar:
            yield _Proofs(bar, total)

    @contextmanager
    def race(self, label: str, budget_s: float) -> Iterator[Observer]:
        with _bar(label) as bar:
            yield _Measuring(bar, budget_s)

    @contextmanager
    def trainings(self, workload: Workload, settings: TrainingSettings) -> Iterator[Observer]:
        teller = Teller(workload, settings)
        with _bar(teller.label) as bar:
            yield _Measuring(bar, 60.0, teller)

    def done(self, result: Assembled) -> None:
        self._done(result)


@contextmanager
def _bar(label: str) -> Iterator[_Bar]:
    bar = _Bar(label)
    try:
        yield bar
    finally:
        bar.close()
