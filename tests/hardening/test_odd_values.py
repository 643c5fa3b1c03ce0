"""Values that are no values: each is a message that names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.conftest import Stone

from hardening.conftest import LINE, sound

NINES = "9" * 400


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("STONE_CACHE", ("prove", LINE, "-d", "null")),
        ("STONE_DATA", ("runs",)),
        ("STONE_DATA_MIRROR", ("data", "get", "mnist")),
    ],
)
def test_the_home_of_a_user_who_is_not_there(stone: Stone, variable: str, words) -> None:
    said = sound(stone(*words, **{variable: "~nosuch/x"}))
    assert said.code == 2
    assert variable in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("data", "get", "mnist", "--from", "x" * 300),
        ("ledger", "merge", "x" * 300),
        ("translate", "x" * 300, "--to", "null"),
        ("translate", "lenet", "--to", "null", "--out", "x" * 300),
        ("compare", "lenet", "-d", "null", "--budget", NINES),
        ("compare", "lenet", "-d", "null", "--threads", "9" * 5000),
        ("compare", "lenet", "-d", "null", "--batch", NINES),
        ("compare", "lenet", "-d", "null", "--feed-workers", "9" * 25),
        ("compare", "lenet", "-d", "null", "--precision", "nan"),
        ("prove", "lenet", "-d", "null", "--timeout", "1e400"),
        ("train", "lenet", "-d", "null", "--seeds", "9" * 25),
        ("train", "lenet", "-d", "null", "--epochs", "9" * 25),
        ("show", "9" * 5000),
        ("show", "1-" + "9" * 5000),
    ],
)
def test_a_value_beyond_all_measure_is_a_mistake(stone: Stone, words) -> None:
    said = sound(stone(*words))
    assert said.code == 2
    assert said.err.startswith("error: ")


def test_no_json_has_infinity_in_it(stone: Stone) -> None:
    words = ("compare", "lenet", "-d", "null", "--dry-run", "--json", "--budget", NINES)
    said = sound(stone(*words))
    assert "Infinity" not in said.out
    assert said.json["error"]


def test_as_many_runs_as_there_are(stone: Stone) -> None:
    assert sound(stone("runs", "--limit", "9" * 30)).code == 0


FILES = {
    "an exception that is no Exception": "class B(BaseException): pass\nraise B\n",
    "one whose text cannot be had": (
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n"
    ),
    "both": "class B(BaseException):\n    def __str__(self): return 1\nraise B\n",
    "a generator's end": "raise GeneratorExit\n",
    "an exit": "exit(0)\n",
    "half a character": "raise ValueError('\\ud800')\n",
}


@pytest.mark.parametrize("kind", FILES)
def test_whatever_a_workload_file_raises_is_a_message(
    stone: Stone, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "mine.py").write_text(FILES[kind], encoding="utf-8")
    said = sound(stone("translate", "./mine.py", "--to", "null", "--json"))
    assert said.code == 2
    assert "mine.py" in said.json["error"]["message"]


@pytest.mark.parametrize("content", ["null", "[]", '{"version": 1, "packages": []}', "[" * 10**5])
def test_the_marker_of_an_environment_with_anything_in_it(
    stone: Stone, tmp_path: Path, content: str
) -> None:
    from tensorstone.dialects.registry import frameworks
    from tensorstone.runtime.environments import environment

    folder = tmp_path / "cache" / "envs" / environment.home(frameworks()["pytorch"]).name
    folder.mkdir(parents=True)
    (folder / environment.MARKER).write_text(content, encoding="utf-8")
    said = sound(stone("env", "list", "--json", STONE_CACHE=str(tmp_path / "cache")))
    assert said.code == 0
    assert any(row["framework"] == "pytorch" for row in said.json["environments"])
