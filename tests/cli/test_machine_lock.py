"""Two that time at once would both be wrong: the second says so and does nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import SMALL, Stone, environment
from cli.test_mistakes import assert_mistake
from tensorstone.support.machine_lock import OTHER_NAME, machine_lock


@pytest.fixture(autouse=True)
def _on_the_machine_of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OTHER_NAME, environment(tmp_path)[OTHER_NAME])


@pytest.mark.parametrize("command", ["compare", "train"])
def test_the_second_is_refused_before_it_starts_anything(
    command: str, stone: Stone, tmp_path: Path
) -> None:
    words = (command, SMALL, "--dialects", "null")
    if command == "train":
        words = (*words, "--data", "synthetic")
    with machine_lock():
        said = stone(*words, TMPDIR=str(tmp_path))
    reason = f"another stone is timing on this machine (process {os.getpid()})"
    assert_mistake(said, reason, "when it has ended", code=3)


def test_json_says_that_the_machine_is_busy(stone: Stone, tmp_path: Path) -> None:
    with machine_lock():
        said = stone("doctor", "--json", TMPDIR=str(tmp_path))
    assert said.code == 3
    assert "another stone is timing" in said.json["error"]["message"]


def test_the_machine_is_free_again_when_its_holder_ends() -> None:
    for _ in range(2):
        with machine_lock():
            pass


def test_a_holder_that_is_killed_holds_nothing() -> None:
    holding = (
        "from tensorstone.support.machine_lock import machine_lock\n"
        "with machine_lock():\n"
        "    print('held', flush=True)\n"
        "    input()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(Exception, match=f"process {holder.pid}"), machine_lock():
            pass
        holder.send_signal(signal.SIGKILL)
    with machine_lock():
        pass
