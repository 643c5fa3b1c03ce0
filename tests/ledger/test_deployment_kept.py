"""Raw samples of feeding and of life after training, in and out of a real ledger."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from test_ledger import TRIAL, begin, disown, keep

from tensorstone.ledger import Ledger
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Feeding, Life

LIFE = Life(
    predict_s=(0.01, 0.02),
    save_s=0.1,
    saved_bytes=1234,
    load_s=0.2,
    first_predict_s=0.3,
    latency_s=(0.001, 0.002, 0.003),
    reload_error=float("inf"),
)
FEEDING = Feeding("", 10, (0.1, 0.2), 10, (0.01, 0.02))
LIFE_COLUMNS = ("feeding", "worked_feeding", "life")
TRIALS = [
    replace(TRIAL, feeding=FEEDING, worked_feeding=Feeding(absent="cannot"), life=LIFE),
    replace(TRIAL, round=2, life=replace(LIFE, outcome=Outcome("crashed", "SIGSEGV", "words"))),
    replace(TRIAL, round=3),
]


def test_every_call_comes_out_again_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        for trial in TRIALS:
            keep(ledger, cell, trial)
    disown(path, owner_started=0.0)
    with Ledger(path) as ledger:
        assert ledger.resume("hash") == run
        assert ledger.trials(run, "lenet") == TRIALS


def test_a_ledger_from_before_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        keep(ledger, cell, TRIAL)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP INDEX one_trial_a_group")
        connection.execute("CREATE INDEX one_trial_a_round ON trials(cell, round)")
        for column in (
            *LIFE_COLUMNS,
            "group",
            "warmup_s",
            "private_bytes",
            "running_threads",
            "gpu_bytes",
            "others_busy",
        ):
            connection.execute(f'ALTER TABLE trials DROP COLUMN "{column}"')
        for column in ("system_s", "instructions", "energy_j", "outside", "disturbed"):
            connection.execute(f"ALTER TABLE blocks DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 2")
    with Ledger(path) as ledger:
        assert ledger.trials(run, "lenet") == [TRIAL]
