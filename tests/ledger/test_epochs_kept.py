"""Epochs in the ledger: there as they end; those of an interrupted training do not count."""

from __future__ import annotations

from pathlib import Path

from made_up import RECORD, facts

from tensorstone.ledger import Ledger, reading
from tensorstone.results.trial import Epoch, Trial

FACTS = facts(command="train")
EPOCHS = (
    Epoch(1, 240, 0.5, 0.96, 12.5, 0.1, 1.0),
    Epoch(2, 240, 0.1, 0.98, 12.0, 0.1, 1.0),
)


def seed(number: int) -> Trial:
    """A training with one seed."""
    return Trial(RECORD.dialect, number, 0)


def kept(ledger: Ledger, run: int) -> dict[tuple[str, int], tuple[Epoch, ...]]:
    trials = reading.record(ledger, run).trials
    return {(trial.dialect, trial.round): trial.epochs for trial in trials}


def test_epochs_come_back_by_dialect_and_seed(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        run = ledger.begin(FACTS, "hash")
        cell = ledger.open_cell(run, "lenet", RECORD)
        for count in (1, 2):
            trial = ledger.begin_trial(cell, seed(count))
            for epoch in EPOCHS[:count]:
                ledger.keep_epoch(trial, epoch)
            ledger.end_trial(trial, seed(count))
        assert kept(ledger, run) == {
            (RECORD.dialect, 1): EPOCHS[:1],
            (RECORD.dialect, 2): EPOCHS,
        }
        assert kept(ledger, ledger.begin(FACTS, "other")) == {}


def test_an_interrupted_training_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        run = ledger.begin(FACTS, "hash")
        trial = ledger.begin_trial(ledger.open_cell(run, "lenet", RECORD), seed(1))
        ledger.keep_epoch(trial, EPOCHS[0])
        ledger.finish(run, "interrupted")
    with Ledger(path) as ledger:
        assert ledger.resume("hash") == run
        assert kept(ledger, run) == {}
        again = ledger.begin_trial(ledger.open_cell(run, "lenet", RECORD), seed(1))
        ledger.keep_epoch(again, EPOCHS[0])
        ledger.end_trial(again, seed(1))
        assert kept(ledger, run) == {(RECORD.dialect, 1): EPOCHS[:1]}
