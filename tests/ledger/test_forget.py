"""Runs forgotten: gone with all that was theirs alone, and nothing else."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from made_up import RECORD, facts
from msgspec.structs import replace
from test_ledger import PROOF, TRIAL, disown, keep

from tensorstone.ledger import Ledger, reading
from tensorstone.ledger.forget import forget
from tensorstone.results.program import Program
from tensorstone.support.errors import StoneError

TABLES = ("runs", "cells", "trials", "blocks", "programs")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Runs 1 and 2 share a program; run 3 has one of its own."""
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        for run, sha in ((1, "shared"), (2, "shared"), (3, "own")):
            ledger.keep_program(Program(f"# {sha}\n", sha, "workload", "pytorch/eager"))
            number = ledger.begin(facts(run), "")
            record = replace(RECORD, program_sha=sha, proof=PROOF)
            keep(ledger, ledger.open_cell(number, "lenet", record), TRIAL)
            ledger.finish(number)
    return path


def counts(path: Path) -> dict[str, int]:
    with sqlite3.connect(path) as connection:
        return {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in TABLES
        }


def test_what_was_a_runs_alone_goes_with_it(path: Path) -> None:
    with Ledger(path) as ledger:
        forget(ledger, [3])
        assert [number for number, _, _ in reading.numbers(ledger)] == [2, 1]
    assert counts(path) == {"runs": 2, "cells": 2, "trials": 2, "blocks": 4, "programs": 1}


def test_a_program_stays_while_any_run_has_it(path: Path) -> None:
    with Ledger(path) as ledger:
        forget(ledger, [1])
        assert "shared" in reading.record(ledger, 2).programs
        forget(ledger, [2])
    assert counts(path)["programs"] == 1


def test_all_of_them_can_go(path: Path) -> None:
    with Ledger(path) as ledger:
        forget(ledger, [1, 2, 3])
    assert set(counts(path).values()) == {0}


def test_the_room_it_took_is_given_back(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.keep_program(Program("# long\n" * 100_000, "long", "workload", "pytorch/eager"))
    before = path.stat().st_size
    with Ledger(path) as ledger:
        forget(ledger, [1])
    assert path.stat().st_size < before - 500_000


def test_a_run_under_way_is_refused_and_all_stay(path: Path) -> None:
    with Ledger(path) as ledger:
        number = ledger.begin(facts(4), "")
        with pytest.raises(StoneError, match=f"run {number} is being measured"):
            forget(ledger, [1, number])
        assert len(reading.numbers(ledger)) == 4
        disown(path, owner_started=0.0)  # it was killed
        forget(ledger, [number])
        assert len(reading.numbers(ledger)) == 3
