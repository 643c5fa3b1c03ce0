"""`stone ledger` as a person runs it: merge another machine's runs, forget some."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest
from old_ledger import unpack

from .conftest import COMMAND, Stone, environment


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return unpack(tmp_path / "other")


def runs(stone: Stone) -> list[int]:
    return [run["run"] for run in stone("runs", "--json").json["runs"]]


def test_another_machines_runs_are_shown_beside_mine(stone: Stone, other: Path) -> None:
    said = stone("ledger", "merge", other)
    assert (said.code, said.out) == (0, f"{other}: added as runs 1, 2, 3, 4\n")
    assert runs(stone) == [4, 3, 2, 1]
    shown = stone("show", "1")
    assert "pytorch/eager  4.02 ms" in shown.out
    again = stone("ledger", "merge", other, "--json").json
    assert again["merged"] == {str(other): {"added": [], "completed": [], "known": 4}}
    assert runs(stone) == [4, 3, 2, 1]


def test_what_is_no_ledger_is_said(stone: Stone, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("words", encoding="utf-8")
    said = stone("ledger", "merge", "words")
    assert said.code == 2 and "words is not a ledger" in said.err and said.out == ""
    assert stone("ledger", "merge", "missing").code == 2
    assert stone("ledger", "merge").code == 2


def test_a_run_is_forgotten_with_yes(stone: Stone, other: Path) -> None:
    stone("ledger", "merge", other)
    stone("show", "2")  # which keeps what it assembled
    said = stone("ledger", "forget", "2-3", "--yes")
    assert (said.code, said.out) == (0, "Forgotten: runs 2, 3\n")
    assert runs(stone) == [4, 1]
    assert stone("show", "2").code == 2
    assert stone("ledger", "merge", other).out == f"{other}: added as runs 5, 6; 2 here already\n"
    assert stone("ledger", "forget", "1", "-y", "--json").json["forgotten"] == [1]


def test_nothing_is_forgotten_where_nobody_can_be_asked(stone: Stone, other: Path) -> None:
    stone("ledger", "merge", other)
    said = stone("ledger", "forget", "2")
    assert said.code == 2 and "add --yes" in said.err
    assert stone("ledger", "forget", "9", "--yes").code == 2
    assert runs(stone) == [4, 3, 2, 1]


@pytest.mark.parametrize(("answer", "left"), [("n", [4, 3, 2, 1]), ("y", [4, 3, 1])])
def test_a_person_is_asked(
    stone: Stone, other: Path, tmp_path: Path, answer: str, left: list[int]
) -> None:
    stone("ledger", "merge", other)
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [*COMMAND, "ledger", "forget", "2"],
        stdin=theirs,
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        timeout=120,
    )
    os.close(theirs)
    os.close(ours)
    assert "Forget this run for good?" in done.stderr
    assert "lstm-series" in done.stderr, "the person sees what goes"
    assert runs(stone) == left
    assert done.returncode == (0 if answer == "y" else 2)
