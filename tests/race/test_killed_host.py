"""A host killed without warning: no worker outlives it, and the next run goes on from there."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from host import TURNS
from racing import marked, wait_for

from tensorstone.ledger import Ledger, reading
from tensorstone.ledger.messages import CUT_SHORT

HOST = Path(__file__).parent / "host.py"


def start(folder: Path, mark: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, str(HOST), str(folder), mark], env=environment)


def rows(folder: Path, sql: str) -> list[tuple]:
    try:
        with sqlite3.connect(folder / "ledger.sqlite") as connection:
            return connection.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []  # not there yet


COMPLETE = "SELECT id, wall_s FROM trials WHERE status = 'ok'"
BLOCKS = "SELECT * FROM blocks ORDER BY trial, position"
CUT = "SELECT DISTINCT id FROM trials JOIN blocks ON trial = id WHERE status = 'running'"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_is_resumed_and_loses_nothing(
    tmp_path: Path, mark: str, number: signal.Signals
) -> None:
    host = start(tmp_path, mark)
    # In the middle of a group: one is complete, another has blocks.
    assert wait_for(lambda: len(rows(tmp_path, COMPLETE)) >= 2 and bool(rows(tmp_path, CUT)), 120)
    assert wait_for(lambda: len(marked(mark)) >= 2)
    host.send_signal(number)
    host.wait(30)
    assert wait_for(lambda: marked(mark) == []), "a worker outlived its host"
    before, blocks, cut = (rows(tmp_path, sql) for sql in (COMPLETE, BLOCKS, CUT))

    assert start(tmp_path, mark).wait(60) == 0
    assert rows(tmp_path, COMPLETE)[: len(before)] == before
    assert set(blocks) <= set(rows(tmp_path, BLOCKS))
    assert rows(tmp_path, "SELECT status FROM runs") == [("finished",)]
    counted = rows(tmp_path, "SELECT id FROM trials WHERE notes LIKE '%cut short%'")
    assert cut and cut == counted, "turns that were complete count"
    assert rows(tmp_path, "SELECT count(*) FROM trials WHERE status = 'running'") == [(0,)]
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        trials = reading.record(ledger, 1).trials
    made: dict[int, set[str]] = {}
    for trial in trials:
        made.setdefault(trial.round, set()).add(trial.dialect)
    assert made.pop(1) == {"null", "steady"}
    assert made and all(names >= {"null", "steady"} for names in made.values())
    assert all(trial.cold_first_step_s is not None for trial in trials)
    whole = [trial for trial in trials if CUT_SHORT not in trial.notes]
    counts = {len(trial.blocks) for trial in whole}
    assert counts <= set(range(TURNS, TURNS * 3 // 2 + 1)), "half as many more if disturbed"


def test_two_hosts_do_not_share_a_run(tmp_path: Path, mark: str) -> None:
    first = start(tmp_path, mark)
    assert wait_for(lambda: bool(rows(tmp_path, COMPLETE)))
    assert start(tmp_path, mark).wait(60) == 0
    assert first.wait(60) == 0
    assert rows(tmp_path, "SELECT status FROM runs") == [("finished",), ("finished",)]
