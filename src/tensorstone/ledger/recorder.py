"""An observer that keeps what a race says in the ledger, as it says it."""

from __future__ import annotations

from collections.abc import Mapping

from tensorstone.bench.observer import Progress
from tensorstone.bench.results import Block, Trial
from tensorstone.ledger.ledger import Ledger


class Recorder:
    """`cells` are the numbers `Ledger.open_cell` gave, by dialect."""

    def __init__(self, ledger: Ledger, cells: Mapping[str, int]) -> None:
        self._ledger, self._cells = ledger, cells
        self._trial = 0  # one contestant runs at a time

    def trial_started(self, dialect: str, round: int, order: int) -> None:
        self._trial = self._ledger.begin_trial(self._cells[dialect], round, order)

    def block(self, dialect: str, round: int, index: int, block: Block) -> None:
        self._ledger.keep_block(self._trial, index, block)

    def trial_ended(self, trial: Trial, progress: Progress) -> None:
        self._ledger.end_trial(self._trial, trial)

    def note(self, text: str) -> None:
        pass  # why a race ended is kept with its run, by whoever runs it
