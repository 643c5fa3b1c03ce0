"""Raw samples of feeding and of deployment, in and out of a real ledger."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

from msgspec.structs import replace
from test_ledger import TRIAL, begin, disown, keep, trials

from tensorstone.ledger import Ledger
from tensorstone.ledger.schema import MIGRATIONS
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Deployment, Feeding, Trial

DEPLOYED = Deployment(
    predict_s=(0.01, 0.02),
    save_s=0.1,
    saved_bytes=1234,
    load_s=0.2,
    first_predict_s=0.3,
    latency_s=(0.001, 0.002, 0.003),
    reload_error=sys.float_info.max,
)
FEEDING = Feeding("", 10, (0.1, 0.2), 10, (0.01, 0.02))
TRIALS = [
    replace(TRIAL, feeding=FEEDING, worked_feeding=Feeding(absent="cannot"), deployment=DEPLOYED),
    replace(
        TRIAL, round=2, deployment=replace(DEPLOYED, outcome=Outcome("crashed", "SIGSEGV", "words"))
    ),
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
        assert trials(ledger, run) == TRIALS


def test_a_ledger_from_before_is_read_as_it_is(tmp_path: Path) -> None:
    """The second format knew no deployment, no groups and no roles."""
    path = tmp_path / "ledger.sqlite"
    with sqlite3.connect(path) as connection:
        for script in MIGRATIONS[:2]:
            assert isinstance(script, str)
            connection.executescript(script)
        insert(connection, "runs", RUN)
        insert(connection, "cells", CELL)
        insert(connection, "trials", TRIAL_ROW)
        for position, block in enumerate(TRIAL.blocks):
            insert(connection, "blocks", {"trial": 1, "position": position, **fields(block, BLOCK)})
        connection.execute("PRAGMA user_version = 2")
    with Ledger(path) as ledger:
        assert trials(ledger, 1) == [TRIAL]


def fields(value: Trial | Block, names: str) -> dict[str, object]:
    return {name: getattr(value, name) for name in names.split()}


RUN = {
    "id": 1,
    "command": "stone compare lenet",
    "plan_hash": "hash",
    "plan": "{}",
    "machine": "{}",
    "started": 1.0,
    "status": "finished",
    "owner_host": "here",
    "owner_pid": 1,
    "owner_started": 1.0,
}
CELL = {
    "id": 1,
    "run": 1,
    "workload": "lenet",
    "dialect": TRIAL.dialect,
    "framework": "pytorch",
    "version": TRIAL.version,
    "lane": "idiomatic",
    "lock_hash": "lock",
    "program_hash": "program",
}
TRIAL_ROW = {
    "id": 1,
    "cell": 1,
    "started": 1.0,
    "status": "ok",
    "notes": json.dumps(TRIAL.notes),
    **fields(
        TRIAL,
        "round place version cold_import_s cold_build_s cold_first_step_s warmup_steps "
        "peak_rss_bytes cpu_use wall_s",
    ),
}
BLOCK = "steps wall_s cpu_s minor_faults major_faults voluntary involuntary"


def insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    names, places = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", tuple(row.values()))
