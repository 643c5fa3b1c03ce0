"""Words that are no text, terminals that know no letters, output that cannot be written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli.conftest import COMMAND, Stone, environment

from hardening.conftest import LINE, sound


def test_a_word_that_is_no_text_is_said_in_json_too(tmp_path: Path) -> None:
    words = [*COMMAND, "translate", b"n\xe4mlich", "--to", "null", "--json"]
    done = subprocess.run(words, capture_output=True, env=environment(tmp_path), cwd=tmp_path)
    assert done.returncode == 2
    assert "no workload called" in json.loads(done.stdout)["error"]["message"]
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [("list",), ("list", "dialects"), ("runs", "--json"), ("translate", "lenet", "--to", "jax")],
)
def test_output_that_cannot_be_written_is_a_message(tmp_path: Path, words) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path),
        )
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [("list",), ("prove", LINE, "-d", "null"), ("runs",), ("translate", "lenet", "--to", "jax")],
)
def test_a_terminal_of_ascii_alone_is_enough(stone: Stone, words) -> None:
    said = sound(stone(*words, PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0"))
    assert said.code == 0
    assert said.out.isascii()


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" | head -c 1', "sh", *COMMAND, "list", "dialects", "--json"],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
    )
    assert "Traceback" not in done.stderr
