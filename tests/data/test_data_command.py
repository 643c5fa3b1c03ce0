"""`stone data` and `stone list data`, as a person runs them; the registry holds tiny sets."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import Said, environment
from tiny_sets import fill_mirror, write_idx

from tensorstone.report.json_fields import BY_NAME

HERE = Path(__file__).parent
PROGRAM = """
import sys; sys.path.insert(0, {here!r})
from pathlib import Path
from tiny_sets import become_tiny
become_tiny(Path({mirror!r}))
from tensorstone.cli import main; main()
"""
Stone = Callable[..., Said]


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    fill_mirror(tmp_path / "mirror")
    return tmp_path / "mirror"


@pytest.fixture
def stone(tmp_path: Path, mirror: Path) -> Stone:
    program = PROGRAM.format(here=str(HERE), mirror=str(mirror))

    def run(*words: object, **variables: str) -> Said:
        done = subprocess.run(
            [sys.executable, "-c", program, *map(str, words)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path) | variables,
            timeout=120,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return run


def test_what_is_generated_needs_no_getting(stone: Stone) -> None:
    said = stone("data", "get", "Linear")
    assert (said.code, said.err) == (0, "")
    assert said.out == "linear: generated when it is used; nothing to get\n"


def test_get_from_a_mirror_then_again(stone: Stone, mirror: Path) -> None:
    said = stone("data", "get", "mnist", "imdb", "--from", mirror)
    assert said.code == 0
    assert [line.partition(" in ")[0] for line in said.out.splitlines()] == [
        f"mnist: 14 kB from mirror folder {mirror}",
        f"imdb: 957 bytes from mirror folder {mirror}",
    ]
    assert f"mnist from mirror folder {mirror}" in said.err  # progress, for who waits
    again = stone("data", "get", "mnist")
    assert (again.code, again.err) == (0, "")
    assert again.out == "mnist: already there, checksum verified (14 kB)\n"


def test_json_and_the_variable(stone: Stone, mirror: Path, tmp_path: Path) -> None:
    said = stone("data", "get", "all", "--json", STONE_DATA_MIRROR=str(mirror))
    assert said.code == 1  # two of them are not to be had
    assert (said.json["schema"], said.json["command"]) == (1, "data get")
    rows = {row["name"]: row for row in said.json["sets"]}
    assert {name: row["state"] for name, row in rows.items()} == {
        "mnist": "got",
        "imdb": "got",
        "beijing-pm25": "got",
        "cifar10": "failed",
        "fashion-mnist": "failed",
    }
    assert Path(rows["mnist"]["path"]) == tmp_path / "cache" / "data" / "mnist"
    assert len(rows["mnist"]["checksum"]) == 64
    assert rows["cifar10"]["tried"][1] == {"source": "nowhere", "reason": "not today"}
    assert rows["cifar10"]["path"] is None


def test_a_failure_says_what_to_do_next(stone: Stone) -> None:
    said = stone("data", "get", "cifar10")
    assert said.code == 1
    assert "cifar10: nowhere: not today" in said.err.splitlines()
    assert "https://www.cs.toronto.edu/~kriz/cifar.html" in said.out
    assert "--from" in said.out


def test_a_mirror_with_another_content_is_refused(stone: Stone, mirror: Path) -> None:
    write_idx(mirror / "other" / "mnist", seed=5)
    said = stone("data", "get", "mnist", "--from", mirror / "other")
    assert said.code == 1
    assert "expected" in said.err
    assert not stone("data", "list", "--json").json["sets"][0]["there"]


def test_both_listings_are_one(stone: Stone, mirror: Path) -> None:
    stone("data", "get", "mnist", "--from", mirror)
    rows = stone("data", "list", "--json").json["sets"]
    assert rows == stone("list", "data", "--json").json["data"]
    assert [row["name"] for row in rows if row["there"]] == ["mnist"]
    for words in (("data", "list"), ("list", "data")):
        said = stone(*words)
        assert said.code == 0
        assert max(map(len, said.out.splitlines())) <= 100
        assert all(row["name"] in said.out for row in rows)


MISTAKES = {
    "no name": (
        ["data", "get"],
        "no data set is named",
        "name some of mnist, fashion-mnist, cifar10",
    ),
    "unknown name": (["data", "get", "mnits"], "mnits", "did you mean mnist?"),
    "no folder": (["data", "get", "mnist", "--from", "lost"], "lost", "folder"),
    "unknown option": (["data", "get", "mnist", "--form", "x"], "--form", "stone data get --help"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_message_with_a_suggestion(stone: Stone, case: str) -> None:
    words, named, suggestion = MISTAKES[case]
    said = stone(*words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert named in said.err
    assert suggestion in said.err


def test_help_has_examples(stone: Stone) -> None:
    for command in ("get", "list"):
        said = stone("data", command, "--help")
        assert f"stone data {command}" in said.out.partition("Examples")[2]


MINE = """\
from tensorstone.models import *

workload = Workload(
    name="mine",
    title="Mine",
    model=Model("Mine", (1, 28, 28), [Flatten(), Dense(10)]),
    recipe=Recipe("softmax-cross-entropy", SGD(0.1), batch=2, epochs=1, metric="accuracy"),
    data=Data("mnist", samples=4),
)
"""


@pytest.mark.parametrize(("to", "shape"), [((), (1, 28, 28)), (("--to", "jax"), (28, 28, 1))])
def test_a_set_as_programs_read_it(
    stone: Stone, mirror: Path, tmp_path: Path, to: tuple[str, ...], shape: tuple[int, ...]
) -> None:
    stone("data", "get", "mnist", "--from", mirror)
    (tmp_path / "mine.py").write_text(MINE)
    more = ("--workload", "mine.py", *to)
    said = stone("data", "export", "MNIST", "--npz", "out.npz", *more, "--json")
    assert said.code == 0, said.err
    assert set(said.json) == {"schema", "command", *BY_NAME["data export"].fields}
    with np.load(tmp_path / "out.npz") as file:
        assert sorted(file) == ["x_test", "x_train", "y_test", "y_train"]
        assert file["x_train"].shape == (4, *shape)
        assert file["y_train"].shape == (4,)
    assert not list(tmp_path.glob(".out.npz*"))


def test_exports_that_cannot_be(stone: Stone, tmp_path: Path) -> None:
    assert "did you mean mnist" in stone("data", "export", "mnits", "--npz", "x.npz").err
    unread = stone("data", "export", "fashion-mnist", "--npz", "x.npz")
    assert unread.code == 2 and "--workload ./mine.py" in unread.err
    other = stone("data", "export", "imdb", "--npz", "x.npz", "--workload", "lenet")
    assert "lenet reads mnist, not imdb" in other.err
    missing = stone("data", "export", "mnist", "--npz", "x.npz")
    assert "stone data get mnist" in missing.err
