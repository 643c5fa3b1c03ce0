"""An observer that keeps what a race says in the ledger, as it says it."""

from __future__ import annotations

from collections.abc import Mapping

from tensorstone.ledger.ledger import Ledger
from tensorstone.race.controls import original
from tensorstone.results.events import Progress
from tensorstone.results.trial import Block, Trial


class Recorder:
    """`cells` are the numbers `Ledger.open_cell` gave, by dialect."""

    def __init__(self, ledger: Ledger, cells: Mapping[str, int]) -> None:
        self._ledger, self.cells = ledger, dict(cells)
        self._trials: dict[str, int] = {}  # the one under way of each dialect

    def trial_started(self, trial: Trial) -> None:
        cell = self._cell(trial.dialect)
        self._trials[trial.dialect] = self._ledger.begin_trial(
            cell, trial.round, trial.order, trial.group
        )

    def _cell(self, dialect: str) -> int:
        if dialect not in self.cells:  # a second seat
            first = self.cells[original(dialect)]
            self.cells[dialect] = self._ledger.open_again(first, dialect)
        return self.cells[dialect]

    def block(self, trial: Trial, index: int, block: Block) -> None:
        number = self._trials[trial.dialect]
        self._ledger.keep_block(number, index, block)
        self._ledger.keep_trial(number, trial)

    def trial_failed(self, trial: Trial) -> None:
        self._ledger.end_trial(self._trials[trial.dialect], trial)

    def trial_ended(self, trial: Trial, progress: Progress) -> None:
        self._ledger.end_trial(self._trials.pop(trial.dialect), trial)

    def note(self, text: str) -> None:
        pass  # why a race ended is kept with its run, by whoever runs it
