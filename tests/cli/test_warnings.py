"""What is nearly always a mistake in a person's workload is said before time is spent on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import SMALL, Stone

COMMANDS = {
    "compare": ["-d", "null", "--budget", "1s", "--threads", "1"],
    "compare --dry-run": ["-d", "null", "--dry-run"],
    "prove": ["-d", "null"],
    "train": ["-d", "null", "--data", "synthetic"],
    "translate": ["--to", "null"],
}


@pytest.fixture
def line(tmp_path: Path) -> int:
    """Of the Softmax in ./mine.py."""
    lines = SMALL.read_text(encoding="utf-8").replace('"small-cnn"', '"mine"').splitlines()
    line = lines.index("            Dense(10),") + 2
    text = "\n".join([*lines[: line - 1], "            Softmax(),", *lines[line - 1 :], ""])
    text = text.replace("    ReLU,\n", "    ReLU,\n    Softmax,\n", 1)
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    return line + 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_reads_a_workload_warns_of_it(
    stone: Stone, line: int, command: str
) -> None:
    name, *more = command.split()
    files = ["./mine.py"] * (1 if name == "translate" else 2)
    said = stone(name, *files, *more, *COMMANDS[command], "--json")
    first, second, *_ = said.err.splitlines()
    assert first.startswith(f"warning: mine.py:{line}: softmax1: Softmax before softmax-cross-")
    assert second.startswith("  remove the Softmax")
    assert said.err.count("warning:") == 1
    assert "warning" not in said.out
    assert said.json["command"] == name
    assert "error" not in said.json


def test_the_exit_code_and_the_program_are_as_without(stone: Stone, line: int) -> None:
    said = stone("translate", "mine.py", "--to", "null")
    assert said.code == 0
    assert "warning" not in said.out
    compile(said.out, "mine", "exec")


def test_a_workload_that_makes_sense_is_not_warned_of(stone: Stone) -> None:
    assert stone("translate", SMALL, "--to", "null").err == ""
