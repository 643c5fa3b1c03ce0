"""Who listens to a race: the ledger that keeps it, the terminal that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tensorstone.bench.results import Block, Trial


@dataclass(frozen=True)
class Progress:
    """Where a race stands after a trial."""

    rounds: int  # complete ones
    elapsed_s: float
    left_s: float  # at most, by the budget and what the rounds so far took


class Observer(Protocol):
    def trial_started(self, trial: Trial) -> None: ...

    def block(self, trial: Trial, index: int, block: Block) -> None: ...

    def trial_failed(self, trial: Trial) -> None:
        """Long before its end perhaps, which comes when the others of its sitting are done."""

    def trial_ended(self, trial: Trial, progress: Progress) -> None: ...

    def note(self, text: str) -> None: ...


class Silent:
    """Hears everything, says nothing. A base for those who care about some of it."""

    def trial_started(self, trial: Trial) -> None:
        pass

    def block(self, trial: Trial, index: int, block: Block) -> None:
        pass

    def trial_failed(self, trial: Trial) -> None:
        pass

    def trial_ended(self, trial: Trial, progress: Progress) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class Both:
    """Two listeners as one: the first hears first, so put the one that keeps before the one that
    shows."""

    def __init__(self, first: Observer, second: Observer) -> None:
        self._all = (first, second)

    def trial_started(self, trial: Trial) -> None:
        for observer in self._all:
            observer.trial_started(trial)

    def block(self, trial: Trial, index: int, block: Block) -> None:
        for observer in self._all:
            observer.block(trial, index, block)

    def trial_failed(self, trial: Trial) -> None:
        for observer in self._all:
            observer.trial_failed(trial)

    def trial_ended(self, trial: Trial, progress: Progress) -> None:
        for observer in self._all:
            observer.trial_ended(trial, progress)

    def note(self, text: str) -> None:
        for observer in self._all:
            observer.note(text)
