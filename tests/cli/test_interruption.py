"""Ctrl-C: at once, with a word, and nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from cli.conftest import COMMAND, SMALL, TESTS, Stone, environment
from tensorstone.cli import app, main

LINE = TESTS / "workloads" / "small_line.py"


def test_ctrl_c_ends_proofs_that_hang(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "prove", str(SMALL), "-d", "rogue/hang", "--timeout", "10m"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    workers = _workers(process)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    psutil.wait_procs(workers, timeout=10)
    assert not [worker for worker in workers if worker.is_running()]


def test_ctrl_c_ends_a_race_which_the_same_command_goes_on_with(
    stone: Stone, tmp_path: Path
) -> None:
    words = ("compare", str(LINE), "-d", "linear/dot", "--threads", "1", "--budget", "6s")
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    for line in process.stderr:
        if "round 1" in line:
            break
    workers = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in said and "give the same command to go on" in said
    assert "Traceback" not in said
    psutil.wait_procs(workers, timeout=10)
    assert not [worker for worker in workers if worker.is_running()]
    (run,) = stone("runs", "--json").json["runs"]
    assert run["status"] == "interrupted"
    again = stone(*words, "--json")
    assert again.code == 0, again.err
    assert [one["run"] for one in again.json["runs"]] == [run["run"]]
    assert again.json["runs"][0]["resumed_trials"] >= 1


def test_ctrl_c_before_a_command_begins_is_said_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(words: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "gather", interrupted)
    monkeypatch.setattr("sys.argv", ["stone", "list"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.startswith("error: interrupted")


def _workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The keeper and the worker, once both are there."""
    for _ in range(600):
        found = psutil.Process(process.pid).children(recursive=True)
        if len(found) >= 2:
            return found
        time.sleep(0.1)
    raise AssertionError("no worker was ever started")
