"""What the engine says while it measures: the ledger keeps it, the terminal shows it."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from tensorstone.results.trial import Block, Epoch, Trial


class RaceProgress(Struct, frozen=True):
    """Where a race stands after a trial."""

    rounds: int  # complete ones
    elapsed_s: float
    left_s: float  # at most, by the budget and what the rounds so far took


class Observer(Protocol):
    """Hears every event, in the order they happen."""

    def trial_started(self, trial: Trial) -> None: ...

    def block(self, trial: Trial, index: int, block: Block) -> None: ...

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None: ...

    def trial_failed(self, trial: Trial) -> None:
        """Long before its end perhaps, which comes when the others of its group are done."""

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None: ...

    def note(self, text: str) -> None: ...


class SilentObserver:
    """Hears everything, says nothing. A base for those who care about some of it."""

    def trial_started(self, trial: Trial) -> None:
        pass

    def block(self, trial: Trial, index: int, block: Block) -> None:
        pass

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None:
        pass

    def trial_failed(self, trial: Trial) -> None:
        pass

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
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

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None:
        for observer in self._all:
            observer.epoch(trial, epoch, left_s)

    def trial_failed(self, trial: Trial) -> None:
        for observer in self._all:
            observer.trial_failed(trial)

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
        for observer in self._all:
            observer.trial_ended(trial, progress)

    def note(self, text: str) -> None:
        for observer in self._all:
            observer.note(text)
