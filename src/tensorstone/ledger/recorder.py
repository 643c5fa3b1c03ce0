"""An observer that keeps what the engine says in the ledger, as it says it."""

from __future__ import annotations

from collections.abc import Mapping

from tensorstone.ledger.ledger import Ledger
from tensorstone.results.events import RaceProgress, SilentObserver
from tensorstone.results.trial import Block, Epoch, Trial, TrialSpec


class Recorder(SilentObserver):
    """`cells` are the numbers `Ledger.open_cell` gave, by dialect."""

    def __init__(self, ledger: Ledger, cells: Mapping[str, int]) -> None:
        self._ledger, self._cells = ledger, dict(cells)
        self._trials: dict[TrialSpec, int] = {}  # those under way

    def trial_started(self, trial: Trial) -> None:
        cell = self._cells[trial.dialect]
        self._trials[trial.spec] = self._ledger.begin_trial(cell, trial)

    def block(self, trial: Trial, index: int, block: Block) -> None:
        number = self._trials[trial.spec]
        self._ledger.keep_block(number, index, block)
        self._ledger.keep_trial(number, trial)

    def epoch(self, trial: Trial, epoch: Epoch, left_s: float) -> None:
        self._ledger.keep_epoch(self._trials[trial.spec], epoch)

    def trial_failed(self, trial: Trial) -> None:
        self._ledger.end_trial(self._trials[trial.spec], trial)

    def trial_ended(self, trial: Trial, progress: RaceProgress) -> None:
        self._ledger.end_trial(self._trials.pop(trial.spec), trial)
