"""Ledgers merged: every run once, the other file untouched, and what is no ledger refused."""

from __future__ import annotations

import sqlite3
from dataclasses import replace as changed
from pathlib import Path

import pytest
from made_up import RECORD, facts
from msgspec.structs import replace
from old_ledger import unpack
from test_ledger import BLOCKS, PROOF, TRIAL, keep

from tensorstone.ledger import Ledger, merge, owner, reading
from tensorstone.ledger.merge import Merged
from tensorstone.ledger.schema import VERSION
from tensorstone.results.program import Program
from tensorstone.results.run import RunRecord
from tensorstone.results.trial import Epoch
from tensorstone.support.errors import StoneError

TEXT = Program("print(1)\n", "program", "workload", "pytorch/eager", 1, 0)
EPOCH = Epoch(1, 240, 0.5, 0.96, 12.5, 0.1, 1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mine" / "ledger.sqlite"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return tmp_path / "other" / "ledger.sqlite"


def measured(path: Path, run: int, started: float = 1_000.0, status: str = "finished") -> None:
    """One run with a program, a proof, two trials with blocks and an epoch."""
    with Ledger(path) as ledger:
        ledger.keep_program(TEXT)
        number = ledger.begin(facts(run, started=started), f"hash {run}")
        cell = ledger.open_cell(number, "lenet", replace(RECORD, proof=PROOF))
        keep(ledger, cell, TRIAL)
        keep(ledger, cell, replace(TRIAL, round=2, blocks=BLOCKS[:1]))
        trial = ledger.begin_trial(cell, replace(TRIAL, round=3))
        ledger.keep_epoch(trial, EPOCH)
        ledger.end_trial(trial, replace(TRIAL, round=3, blocks=()))
        if status != "running":
            ledger.finish(number, status)  # type: ignore[arg-type]


def records(path: Path) -> dict[str, RunRecord]:
    """By id, numbers and the time of ending left out."""
    with Ledger(path) as ledger:
        found = [reading.record(ledger, number) for number, _, _ in reading.numbers(ledger)]
    return {
        one.facts.uuid: replace(one, facts=replace(one.facts, number=0, finished=None))
        for one in found
    }


def merged(path: Path, other: Path) -> Merged:
    with Ledger(path) as ledger:
        return merge.merge(ledger, other)


def test_runs_of_both_are_there_to_the_last_block(path: Path, other: Path) -> None:
    measured(path, 1)
    for run in (2, 3):
        measured(other, run)
    expected = records(path) | records(other)
    assert merged(path, other) == Merged((2, 3), (), 0)
    assert records(path) == expected
    assert len(expected) == 3
    assert all(len(one.trials[0].blocks) == 2 for one in expected.values())
    assert all(one.trials[2].epochs == (EPOCH,) for one in expected.values())
    assert all(one.programs == {"program": TEXT} for one in expected.values())


def test_nothing_is_there_twice(path: Path, other: Path) -> None:
    measured(path, 1)
    measured(other, 2)
    merged(path, other)
    before = records(path)
    assert merged(path, other) == Merged((), (), 1)
    assert merged(other, path) == Merged((2,), (), 1), "and back again: only the one that is new"
    assert records(path) == before == records(other)


def test_a_run_that_another_ledger_finished_is_completed(path: Path, other: Path) -> None:
    measured(path, 1, status="interrupted")
    measured(other, 1)
    assert merged(path, other) == Merged((), (1,), 0)
    assert records(path) == records(other)
    measured(other, 2, status="interrupted")
    measured(path, 2)
    finished = records(path)
    assert merged(path, other).known == 2, "what is finished here stays"
    assert records(path) == finished


def test_the_latest_run_is_the_one_that_began_last(path: Path, other: Path) -> None:
    measured(path, 1, started=2_000.0)
    measured(other, 2, started=1_000.0)
    merged(path, other)
    with Ledger(path) as ledger:
        assert [number for number, _, _ in reading.numbers(ledger)] == [1, 2]
        assert [one.facts.number for one in reading.summaries(ledger)] == [1, 2]


def test_a_merged_run_is_neither_under_way_nor_resumed_here(path: Path, other: Path) -> None:
    measured(other, 1, status="running")
    merged(path, other)
    (one,) = records(path).values()
    assert one.facts.status == "interrupted"
    with Ledger(path) as ledger:
        assert ledger.resume("hash 1") is None, "it was measured on another machine"


def test_the_other_file_stays_as_it_is(path: Path, tmp_path: Path) -> None:
    old = unpack(tmp_path / "old")
    before, names = old.read_bytes(), sorted(old.parent.iterdir())
    assert merged(path, old).added == (1, 2, 3, 4)
    assert old.read_bytes() == before, "an older format is migrated in a copy"
    assert sorted(old.parent.iterdir()) == names
    assert merged(path, old) == Merged((), (), 4)


def test_what_a_process_has_just_written_there_is_merged_too(path: Path, other: Path) -> None:
    with Ledger(other) as ledger:  # open: its last rows are beside the file
        number = ledger.begin(facts(1), "hash")
        keep(ledger, ledger.open_cell(number, "lenet", RECORD), TRIAL)
        assert other.with_name("ledger.sqlite-wal").stat().st_size > 0
        assert merged(path, other).added == (1,)
    assert [one.trials for one in records(path).values()] == [(TRIAL,)]


def test_a_newer_ledger_is_refused(path: Path, other: Path) -> None:
    measured(path, 1)
    measured(other, 2)
    with sqlite3.connect(other) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoneError, match="newer tensorstone") as caught:
        merged(path, other)
    assert str(other) in caught.value.message
    assert len(records(path)) == 1


def test_a_damaged_ledger_is_refused_wholly(path: Path, other: Path) -> None:
    measured(path, 1)
    for run in range(2, 40):
        measured(other, run)
    content = bytearray(other.read_bytes())
    for start in range(3 * 4096, len(content), 4096):
        content[start : start + 64] = bytes(range(64))
    other.write_bytes(content)
    with pytest.raises(StoneError, match="is damaged"):
        merged(path, other)
    assert len(records(path)) == 1
    assert other.read_bytes() == content, "it is not moved aside: it is not ours"


def test_a_cut_off_ledger_is_refused(path: Path, other: Path) -> None:
    for run in range(2, 20):
        measured(other, run)
    content = other.read_bytes()
    other.write_bytes(content[: len(content) // 2])
    with pytest.raises(StoneError, match="is damaged"):
        merged(path, other)
    assert records(path) == {}


def test_what_is_no_ledger_is_refused(path: Path, tmp_path: Path) -> None:
    words, empty, database = (tmp_path / name for name in ("words", "empty", "database"))
    words.write_text("nothing of the kind", encoding="utf-8")
    empty.write_bytes(b"")
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE runs (id)")
    for wrong in (words, empty, database):
        with pytest.raises(StoneError, match="is not a ledger"):
            merged(path, wrong)
    for missing in (tmp_path / "missing", tmp_path):
        with pytest.raises(StoneError, match="cannot copy"):
            merged(path, missing)


def test_a_ledger_is_not_merged_with_itself(path: Path, tmp_path: Path) -> None:
    measured(path, 1)
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(StoneError, match="your own ledger"):
            merged(path, name)


def test_a_merge_is_whole_or_nothing(
    path: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(path, 1)
    for run in (2, 3):
        measured(other, run)

    def fail(db: sqlite3.Connection) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(merge, "drop_unused", fail)
    with pytest.raises(StoneError, match="is full"):
        merged(path, other)
    assert len(records(path)) == 1


def test_owners_of_another_machine_do_not_matter(
    path: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = owner.this_process()
    monkeypatch.setattr(
        "tensorstone.ledger.ledger.this_process", lambda: changed(here, host="elsewhere")
    )
    measured(other, 1, status="running")
    monkeypatch.undo()
    assert merged(path, other).added == (1,)
