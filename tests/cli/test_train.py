"""`stone train` without frameworks: mistakes, misbehaviour, and what cannot be trained."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import SMALL, TESTS, Stone
from cli.test_mistakes import assert_mistake

LINE = TESTS / "workloads" / "small_line.py"


def test_help_has_examples(stone: Stone) -> None:
    said = stone("train", "--help")
    assert said.code == 0
    assert "Examples" in said.out and "stone train lenet" in said.out


def test_mistakes_are_one_message_with_what_to_do(stone: Stone, tmp_path: Path) -> None:
    assert_mistake(stone("train", LINE, "--data", "made-up"), "made-up", "real or synthetic")
    assert_mistake(stone("train", LINE, "--threads", "4096"), "4096", "at most")
    assert_mistake(stone("train", LINE), "random-points", "--data synthetic")
    nowhere = str(tmp_path / "cache")
    said = stone("train", "lenet", "-d", "null", STONE_CACHE=nowhere)
    assert_mistake(said, "mnist", "stone data get mnist")


def test_what_computes_nothing_is_not_trained(stone: Stone) -> None:
    said = stone("train", LINE, "-d", "null", "--data", "synthetic", "--json")
    assert said.code == 0
    (cell,) = said.json["cells"]
    assert (cell["status"], cell["metrics"]) == ("unsupported", {"epochs": []})
    assert "cannot be trained" in cell["reason"]


@pytest.mark.slow
def test_misbehaving_dialects_end_in_their_own_cells(stone: Stone) -> None:
    words = ("--data", "synthetic", "--timeout", "25s")
    said = stone("train", SMALL, "-d", "rogue/segfault,rogue/hang,rogue/wrong", *words)
    assert said.code == 1
    assert "rogue/segfault: crashed: SIGSEGV" in said.out
    assert "rogue/hang: timed-out" in said.out
    assert "rogue/wrong: unequal" in said.out
    assert "Traceback" not in said.err


def test_another_batch_is_a_run_of_its_own(stone: Stone) -> None:
    words = ("-d", "linear/dot", "--data", "synthetic", "--epochs", "1", "--batch", "4,8")
    said = stone("train", LINE, *words, "--threads", "1", "--json")
    assert said.code == 0, said.err
    runs = [(run["workload"], run["batch"]) for run in said.json["runs"]]
    assert runs == [("small-line-batch4", 4), ("small-line-batch8", 8)]
