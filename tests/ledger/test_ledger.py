"""The ledger with real SQLite: what goes in comes out, once, and trouble is said plainly."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace as changed
from pathlib import Path

import pytest
from made_up import FACTS, RECORD
from msgspec.structs import replace

from tensorstone.ledger import Ledger, Recorder, database, reading
from tensorstone.ledger.owner import Owner, this_process
from tensorstone.ledger.schema import VERSION
from tensorstone.results.codec import plain
from tensorstone.results.events import RaceProgress
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.proof import Level, Proof
from tensorstone.results.trial import Block, Trial
from tensorstone.runtime.machine import this_machine
from tensorstone.support.errors import StoneError

PROOF = Proof(OK, levels={"forward": Level(1e-7, 1e-5, True)})
BLOCKS = (Block(10, 1.0, 0.9, 1, 0, 3, 2), Block(10, 1.1, 1.0, 0, 0, 4, 1))
TRIAL = Trial(
    dialect="pytorch/eager",
    round=1,
    place=0,
    version="2.13.0",
    cold_import_s=1.5,
    cold_build_s=0.1,
    cold_first_step_s=0.2,
    warmup_steps=31,
    blocks=BLOCKS,
    peak_rss_bytes=300 * 2**20,
    cpu_use=0.99,
    wall_s=8.0,
    notes=("a note",),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "ledger.sqlite"


def keep(ledger: Ledger, cell: int, trial: Trial) -> None:
    recorder = Recorder(ledger, {trial.dialect: cell})
    recorder.trial_started(trial)
    for index, block in enumerate(trial.blocks):
        recorder.block(trial, index, block)
    recorder.trial_ended(trial, RaceProgress(0, 0.0, 0.0))


def begin(ledger: Ledger) -> tuple[int, int]:
    run = ledger.begin(FACTS, "hash")
    return run, ledger.open_cell(run, "lenet", RECORD)


def trials(ledger: Ledger, run: int) -> list[Trial]:
    return list(reading.record(ledger, run).trials)


def test_what_goes_in_comes_out(path: Path) -> None:
    crash = replace(
        TRIAL, round=2, outcome=Outcome("crashed", "SIGSEGV", "words"), blocks=BLOCKS[:1]
    )
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        keep(ledger, cell, TRIAL)
        keep(ledger, cell, crash)
        ledger.keep_proof(cell, PROOF)
        ledger.end_cell(cell, crash.outcome)
        ledger.finish(run, note="done")
    with Ledger(path) as ledger:
        kept = reading.record(ledger, run)
        assert kept.trials == (TRIAL, crash)
        assert kept.cells == (replace(RECORD, proof=PROOF, outcome=crash.outcome),)
        assert kept.damaged == ()
        (made,) = reading.summaries(ledger)
        assert (made.facts, made.dialects, made.trials) == (kept.facts, (RECORD.dialect,), 2)
        assert (made.facts.status, made.facts.why, made.facts.number) == ("finished", "done", run)
        assert (made.facts.machine, made.facts.words) == (FACTS.machine, FACTS.words)
        other = ledger.begin(FACTS, "another hash")
        assert trials(ledger, other) == [], "a run's trials are its own"


def test_each_write_is_seen_by_others_at_once(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path) as other:
        run, cell = begin(ledger)
        keep(ledger, cell, TRIAL)
        assert trials(other, run) == [TRIAL]


def test_a_round_is_kept_once(path: Path) -> None:
    with Ledger(path) as ledger:
        _, cell = begin(ledger)
        keep(ledger, cell, TRIAL)
        with pytest.raises(sqlite3.IntegrityError):
            ledger.begin_trial(cell, TRIAL)


def test_opening_a_cell_again_finds_it(path: Path) -> None:
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        other = ledger.open_cell(run, "lenet", replace(RECORD, dialect="jax/flax"))
        assert ledger.open_cell(run, "lenet", RECORD) == cell != other


def disown(path: Path, **columns: object) -> None:
    with sqlite3.connect(path) as connection:
        for name, value in columns.items():
            connection.execute(f"UPDATE runs SET {name} = ?", (value,))


def test_a_dead_owners_run_is_resumed(path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        keep(ledger, cell, TRIAL)
        ledger.keep_block(ledger.begin_trial(cell, replace(TRIAL, round=2)), 0, BLOCKS[0])
        assert ledger.resume("hash") is None, "its owner, this process, lives"
        disown(path, owner_pid=process.pid)
        assert ledger.resume("another hash") is None
        assert ledger.resume("hash") == run
        assert trials(ledger, run) == [TRIAL]
        second = replace(TRIAL, round=2)
        keep(ledger, cell, second)  # the interrupted round can be made again
        assert trials(ledger, run) == [TRIAL, second]
        assert ledger.resume("hash") is None, "it is this process's now"
        ledger.finish(run)
        disown(path, owner_pid=process.pid)
        assert ledger.resume("hash") is None, "it is finished"


def test_what_failed_before_the_run_was_killed_stays_failed(path: Path) -> None:
    crash = replace(TRIAL, outcome=Outcome("crashed", "SIGSEGV", "words"))
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        recorder = Recorder(ledger, {TRIAL.dialect: cell})
        recorder.trial_started(TRIAL)
        for index, block in enumerate(BLOCKS):
            recorder.block(TRIAL, index, block)
        recorder.trial_failed(crash)
        disown(path, status="interrupted")
        assert ledger.resume("hash", enough_blocks=len(BLOCKS)) == run
        assert trials(ledger, run) == [crash]


def test_an_interrupted_run_is_resumed_by_whoever_asks(path: Path) -> None:
    with Ledger(path) as ledger:
        run, _ = begin(ledger)
        ledger.finish(run, "interrupted")
        assert ledger.resume("hash") == run


def test_a_reused_pid_is_another_process() -> None:
    me = this_process()
    assert not me.is_gone()
    assert changed(me, started=me.started - 100).is_gone()
    assert not Owner("another-host", 1, 0.0).is_gone(), "of another machine nothing is known"


def test_a_damaged_file_is_moved_aside_and_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, but it may be precious" * 100)
    with Ledger(path) as ledger:
        assert ledger.moved_aside is not None
        assert ledger.moved_aside.read_bytes().startswith(b"this is no database")
        begin(ledger)
    with Ledger(path) as ledger:
        assert ledger.moved_aside is None
        assert len(reading.numbers(ledger)) == 1


def test_damaged_pages_are_noticed(path: Path) -> None:
    with Ledger(path) as ledger:
        _, cell = begin(ledger)
        for number in range(1, 200):
            keep(ledger, cell, replace(TRIAL, round=number))
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 4096):
        content[start : start + 64] = os.urandom(64)
    path.write_bytes(content)
    with Ledger(path) as ledger:
        assert ledger.moved_aside is not None and ledger.moved_aside.read_bytes() == content
        assert reading.numbers(ledger) == []


def test_a_full_disk_is_said_and_loses_nothing(path: Path) -> None:
    with Ledger(path) as ledger:
        run, cell = begin(ledger)
        keep(ledger, cell, TRIAL)
        pages = ledger._connection.execute("PRAGMA page_count").fetchone()[0]
        ledger._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoneError, match=r"is full") as caught:
            ledger.keep_proof(cell, replace(PROOF, detail="x" * 100_000))
        assert "nothing measured so far is lost" in caught.value.hint
        assert trials(ledger, run) == [TRIAL]
        assert reading.record(ledger, run).cells[0].proof is None


def test_a_locked_ledger_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.05)
    with Ledger(path) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoneError, match="in use by another process"):
            begin(ledger)
        other.execute("ROLLBACK")
        other.close()
        begin(ledger)


def test_a_read_only_ledger_is_said(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoneError, match="cannot be written"):
            begin(ledger)


def test_a_place_where_no_file_can_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoneError, match="cannot be used"):
        Ledger(tmp_path / "file" / "ledger.sqlite")
    with pytest.raises(StoneError, match="cannot be used"):
        Ledger(tmp_path)


def test_a_newer_format_is_refused_untouched(path: Path) -> None:
    with Ledger(path) as ledger:
        begin(ledger)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoneError, match="newer tensorstone"):
        Ledger(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_a_migration_runs_once_and_wholly(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(path) as ledger:
        begin(ledger)
    step = "CREATE TABLE extra (a);\nINSERT INTO extra VALUES (1);"
    broken = (*database.MIGRATIONS, step + "\nINSERT INTO no_such_table VALUES (1);")
    monkeypatch.setattr(database, "MIGRATIONS", broken)
    monkeypatch.setattr(database, "VERSION", VERSION + 1)
    with pytest.raises(StoneError, match="no_such_table"):
        Ledger(path)
    monkeypatch.setattr(database, "MIGRATIONS", (*broken[:-1], step))
    for _ in range(2):
        with Ledger(path) as ledger:
            assert len(reading.numbers(ledger)) == 1
            assert len(ledger._connection.execute("SELECT * FROM extra").fetchall()) == 1


def test_the_machine_describes_itself() -> None:
    machine = this_machine()
    assert machine.cpu and machine.logical_cores >= 1 and machine.memory_bytes > 2**20
    assert set(machine.affinity) <= set(range(machine.logical_cores))
    assert plain(machine)["kernel"] == machine.kernel
