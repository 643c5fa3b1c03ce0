"""`stone run-program`: a program in its framework's environment, its output and code passed on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cli.conftest import SMALL, Stone

PROGRAM = """
import os
import sys

def network(): ...
def learner(net): ...
def train(learner, batches): ...

print("arguments", *sys.argv[1:])
print("path", os.environ.get("PYTHONPATH"))
print("to stderr", file=sys.stderr)
sys.exit(int(os.environ.get("CODE", "0")))
"""


def test_a_workload_is_written_and_run(stone: Stone) -> None:
    said = stone("run-program", SMALL, "null/nothing")
    assert (said.code, said.out) == (0, "nothing was trained\n")


def test_output_and_code_are_passed_on(stone: Stone, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    said = stone("run-program", "program.py", "null", CODE="7")
    assert said.code == 7
    assert said.out == "arguments\npath None\n"
    assert said.err == "to stderr\n"


def test_a_program_that_dies_answers_as_in_a_shell(stone: Stone, tmp_path: Path) -> None:
    text = PROGRAM.replace("sys.exit(", "os.kill(os.getpid(), 9)\nsys.exit(")
    (tmp_path / "program.py").write_text(text)
    assert stone("run-program", "program.py", "null").code == 137


def test_a_file_of_samples_is_given_to_it(stone: Stone, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    np.savez(tmp_path / "mine.npz", x=np.zeros(1))
    said = stone("run-program", "program.py", "null", "--data", "mine.npz")
    assert said.out.startswith(f"arguments {tmp_path / 'mine.npz'}\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("lenet", "pytorch"), "pytorch has 3 dialects"),
        (("lenet", "pytorch/eagre"), "did you mean pytorch/eager"),
        (("lenet", "null", "--data", "imdb"), "lenet reads mnist, not imdb"),
        (("lenet", "null", "--data", "none.npz"), "stone data export"),
        (("gru-imdb", "cntk/layers"), "gru-imdb cannot be written in cntk/layers"),
    ],
)
def test_mistakes(stone: Stone, words: tuple[str, ...], expected: str) -> None:
    said = stone("run-program", *words)
    assert said.code == 2 and said.out == ""
    assert expected in said.err


@pytest.mark.frameworks("pytorch")
def test_a_framework_s_program_trains(stone: Stone, tmp_path: Path) -> None:
    stone("translate", SMALL, "--to", "pytorch/eager", "--out", "programs")
    said = stone("run-program", "programs/small_cnn_pytorch_eager.py", "torch/eager")
    assert said.code == 0, said.err
    assert said.out.startswith("epoch 1: loss ")
