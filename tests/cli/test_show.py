"""`stone show` prints what the command printed that made the run, to the letter."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from cli.conftest import COMMAND, SMALL, TESTS, Said, Stone, environment
from cli.test_mistakes import assert_mistake

LINE = TESTS / "workloads" / "small_line.py"
PAIR = ("compare", LINE, "-d", "linear/dot,linear/sum,linear/half", "--threads", "1")


def assert_shown_alike(made: Said, again: Said) -> None:
    assert made.out.strip()
    assert again.out == made.out
    assert again.code == made.code, "what fell short then falls short now"


def test_a_comparison_is_shown_to_the_letter(stone: Stone) -> None:
    made = stone(*PAIR, "--budget", "2s")
    assert made.code == 1, "linear/half is unequal"
    assert "linear/dot" in made.out and "rank" in made.out
    assert_shown_alike(made, stone("show"))
    assert_shown_alike(made, stone("show", "1"))
    assert_shown_alike(made, stone("show", "latest"))


def test_it_is_shown_to_the_letter_without_what_is_kept_of_it(stone: Stone, tmp_path: Path) -> None:
    """Assembled anew from the ledger alone, as a year later."""
    made = stone(*PAIR, "--budget", "2s")
    assert_shown_alike(made, stone("show", STONE_CACHE=str(tmp_path / "another")))


def test_json_is_read_again_alike(stone: Stone) -> None:
    made = stone(*PAIR, "--budget", "2s", "--json").json
    again = stone("show", "--json").json
    assert (made.pop("command"), again.pop("command")) == ("compare", "show")
    assert again == made


def test_a_sweep_is_shown_to_the_letter_but_for_where_its_picture_is(stone: Stone) -> None:
    words = ("-d", "linear/dot", "--threads", "1", "--batch", "4,8", "--budget", "1s")
    made = stone("compare", LINE, *words)
    shown, _, picture = made.out.partition("As a picture: ")
    assert "small-line-batch4" not in shown and "batch 4" in shown
    assert "".join(picture.split()).endswith("-1-2.svg")
    assert stone("show").out == shown
    assert stone("show", "1-2").out == shown


def test_proofs_trainings_and_examinations_are_shown_to_the_letter(stone: Stone) -> None:
    for words in (
        ("prove", LINE, "-d", "linear"),
        ("train", LINE, "-d", "linear/dot,linear/alias", "--data", "synthetic", "--seeds", "2"),
        ("doctor", "--quick"),
    ):
        assert_shown_alike(stone(*words), stone("show"))


def test_a_program_is_shown_as_it_was_run(stone: Stone) -> None:
    stone("prove", LINE, "-d", "linear/dot")
    shown = stone("show", "--program", "linear/dot")
    assert shown.out == stone("translate", LINE, "--to", "linear/dot").out
    assert_mistake(stone("show", "--program", "linear/dott"), "linear/dott", "linear/dot")


def test_runs_that_are_not_there_are_one_message(stone: Stone) -> None:
    assert_mistake(stone("show"), "has no runs yet", "stone compare")
    stone("prove", LINE, "-d", "linear/dot")
    assert_mistake(stone("show", "7"), "there is no run '7'", "stone runs")
    assert_mistake(stone("show", "ffffffff"), "there is no run", "beginning of an id")


def test_a_run_is_named_by_the_beginning_of_its_id(stone: Stone) -> None:
    made = stone("prove", LINE, "-d", "linear/dot")
    (run,) = stone("runs", "--json").json["runs"]
    assert_shown_alike(made, stone("show", run["uuid"][:8]))
    assert run["uuid"][:8] in stone("runs").out


def test_a_resumed_run_says_so(stone: Stone, tmp_path: Path) -> None:
    """Killed after a trial; the same command goes on, and what it shows says so, then and later."""
    words = [*map(str, PAIR), "--budget", "8s"]
    ledger = tmp_path / "data" / "ledger.sqlite"
    first = subprocess.Popen(
        [*COMMAND, *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for_a_trial(ledger, first)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    made = stone(*words, "--json")
    (run,) = made.json["runs"]
    assert run["resumed_trials"] >= 1 and run["run"] == 1
    shown = stone("show")
    assert f"Continued an unfinished run: {run['resumed_trials']} of its trials count." in shown.out
    assert f"resumed: {run['resumed_trials']} trials" in stone("show", "--notes").out
    assert stone("show", "--json").json["runs"] == [run]


def wait_for_a_trial(ledger: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        if ledger.exists():
            with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as db:
                try:
                    if db.execute("SELECT 1 FROM trials WHERE status = 'ok'").fetchall():
                        return
                except sqlite3.OperationalError:
                    pass  # its tables are just being made
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.05)
    raise AssertionError("no trial was ever made")


@pytest.mark.frameworks("pytorch", "mxnet")
def test_a_comparison_of_frameworks_is_shown_to_the_letter(stone: Stone) -> None:
    words = ("-d", "pytorch/eager,mxnet/module", "--threads", "1", "--budget", "10s")
    made = stone("compare", SMALL, *words)
    assert "pytorch/eager" in made.out
    assert_shown_alike(made, stone("show"))
    assert_shown_alike(made, stone("show", "latest"))
