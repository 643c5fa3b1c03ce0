"""One bad cell never costs another: whatever a program answers is its own cell's outcome."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import Stone
from racing import QUICK, contestant_of

from hardening.conftest import LINE, ROOMS, sound
from tensorstone.race.group_run import Group, run_group
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.results.codec import Damaged
from tensorstone.results.events import SilentObserver
from tensorstone.runtime.answers import ANSWERS, answer
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.files import read_arrays
from tensorstone.runtime.invocation import Invocation

SPEAKER = Path(__file__).parents[2] / "benchmarks" / "fuzz_speaker.py"
BAD = {
    "nothing": "Python objects",
    "dictionary": "Python objects",
    "objects": "Python objects",
    "words": "not a number",
    "no-losses": "NoneType",
    "half-character": "half ",
    "mute": "cannot be read",
}


@pytest.mark.parametrize("command", ["prove", "compare"])
def test_a_program_that_answers_nonsense_costs_its_own_cell_alone(
    stone: Stone, command: str
) -> None:
    budget = ["--budget", "1s"] if command == "compare" else []
    said = sound(stone(command, LINE, "-d", "odd,null", "--json", *budget, STONE_ROOMS=ROOMS))
    assert said.code == 1
    assert said.cells["null/nothing"]["status"] == "ok"
    for name, reason in BAD.items():
        cell = said.cells[f"odd/{name}"]
        assert (cell["status"], reason in cell["reason"]) == ("failed", True), cell
    assert said.cells["odd/chatter"]["status"] == "unequal"


LINES = {
    "no object": '{"id": ID, "ok": null}',
    "a list": "[1]",
    "empty": "{}",
    "wrong fields": '{"id": ID, "ok": {"wall_s": "x", "steps": []}}',
    "no steps": '{"id": ID, "ok": {"wall_s": 1.0, "steps": 0}}',
    "negative": '{"id": ID, "ok": {"import_s": -1, "build_s": -1, "version": "1"}}',
    "too large": '{"id": ID, "ok": {"steps": 1' + "0" * 30 + "}}",
    "deep": "[" * 200_000,
    "no text": "\udc80",
    "a word for an error": '{"id": ID, "error": "x"}',
    "an error of numbers": '{"id": ID, "error": {"kind": 1, "message": 2}}',
    "a death of words": '{"gone": {"signal": "x"}}',
    "a death that is a number": '{"gone": 1}',
}


class Speaking(Invocation):
    """A worker that answers one request with a line it was given, all others well."""

    def command(self, fd_in: int, fd_out: int) -> list[str]:
        words = [str(SPEAKER), str(fd_in), str(fd_out), self.env["REQUEST"], self.env["LINE"]]
        return [sys.executable, "-I", "-S", *words]


@pytest.mark.parametrize("request_name", ["hello", "load", "new", "train", "block"])
@pytest.mark.parametrize("line", LINES)
def test_a_line_of_nonsense_costs_its_own_process_alone(
    tmp_path: Path, line: str, request_name: str
) -> None:
    data = tmp_path / "data.npz"
    np.savez(data, x=np.zeros((8, 1), np.float32), y=np.zeros(8, np.float32))
    (tmp_path / "line").write_bytes(LINES[line].encode("utf-8", "surrogateescape"))

    def contestant(name: str, wrong: str) -> Contestant:
        own = {"REQUEST": wrong, "LINE": str(tmp_path / "line")}
        invocation = Speaking(Path(sys.executable), own, (), 1, tmp_path)
        program = tmp_path / f"{name}.py"
        program.write_text("", encoding="utf-8")
        return contestant_of(name, program, invocation, data, data)

    members = [contestant("wrong", request_name), contestant("right", "")]
    group = Group(tuple((one, Assignment(1, n, 30.0)) for n, one in enumerate(members)), 2, 2)
    made = {trial.dialect: trial for trial in run_group(group, QUICK, SilentObserver())}

    assert made["right"].outcome.ok
    assert made["wrong"].outcome.status == "failed"
    json.dumps(made["wrong"].outcome.reason).encode()


@pytest.mark.parametrize("request_name", sorted(set(ANSWERS) - {"read", "quit"}))
def test_every_answer_has_its_fields(request_name: str) -> None:
    with pytest.raises(Damaged):
        answer(request_name, {})


def test_losses_may_be_no_numbers_where_training_diverged() -> None:
    found = answer("train", {"losses": [float("nan")], "feed_s": 0, "wall_s": 1})
    assert found["losses"][0] != found["losses"][0]


FILES = {
    "missing": None,
    "empty": b"",
    "rubbish": b"PK\x03\x04 rubbish",
    "one array": b"\x93NUMPY\x01\x00",
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_arrays_is_a_failure(tmp_path: Path, kind: str) -> None:
    if (content := FILES[kind]) is not None:
        (tmp_path / "out.npz").write_bytes(content)
    with pytest.raises(Failure, match="predict: "):
        read_arrays(tmp_path / "out.npz", "predict", "outputs")


def test_arrays_without_the_one_asked_for_are_a_failure(tmp_path: Path) -> None:
    np.savez(tmp_path / "out.npz", other=np.zeros(1))
    assert read_arrays(tmp_path / "out.npz", "predict")["other"] == 0
    with pytest.raises(Failure, match="outputs are missing"):
        read_arrays(tmp_path / "out.npz", "predict", "outputs")
