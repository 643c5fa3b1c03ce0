"""Epochs in the ledger: there as they end; those of an interrupted training do not count."""

from __future__ import annotations

from pathlib import Path

from tensorstone.ledger import Cell, Ledger
from tensorstone.results.epoch import Epoch
from tensorstone.results.trial import Trial

CELL = Cell("lenet", "pytorch/eager", "pytorch", "2.13.0", "idiomatic")
EPOCHS = (
    Epoch(1, 240, 0.5, 0.96, 12.5, 0.1, 1.0),
    Epoch(2, 240, 0.1, 0.98, 12.0, 0.1, 1.0),
)


def test_epochs_come_back_by_dialect_and_seed(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        run = ledger.begin("train", "hash", {}, {})
        cell = ledger.open_cell(run, CELL)
        for seed in (1, 2):
            trial = ledger.begin_trial(cell, seed, 0)
            for epoch in EPOCHS[:seed]:
                ledger.keep_epoch(trial, epoch)
            ledger.end_trial(trial, Trial(CELL.dialect, seed, 0))
        assert ledger.epochs(run, "lenet") == {
            (CELL.dialect, 1): EPOCHS[:1],
            (CELL.dialect, 2): EPOCHS,
        }
        assert ledger.epochs(run, "other") == {}


def test_an_interrupted_training_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        run = ledger.begin("train", "hash", {}, {})
        trial = ledger.begin_trial(ledger.open_cell(run, CELL), 1, 0)
        ledger.keep_epoch(trial, EPOCHS[0])
        ledger.finish(run, "interrupted")
    with Ledger(path) as ledger:
        assert ledger.resume("hash") == run
        assert ledger.epochs(run, "lenet") == {}
        again = ledger.begin_trial(ledger.open_cell(run, CELL), 1, 0)
        ledger.keep_epoch(again, EPOCHS[0])
        ledger.end_trial(again, Trial(CELL.dialect, 1, 0))
        assert ledger.epochs(run, "lenet") == {(CELL.dialect, 1): EPOCHS[:1]}
