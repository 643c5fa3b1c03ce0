"""A person's mistakes: one clear message with a suggestion, exit code 2, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import SMALL, Said, Stone

MISTAKES = {
    "unknown command": (["compaer", "lenet"], "compaer", "stone --help"),
    "unknown workload": (["compare", "lenett"], "lenett", "did you mean lenet"),
    "unknown dialect": (["prove", "lenet", "-d", "pytorch/eagre"], "eagre", "pytorch/eager"),
    "unknown framework": (["prove", "lenet", "-d", "pytroch"], "pytroch", "pytorch"),
    "unknown lane": (["compare", "lenet", "--lane", "fast"], "fast", "idiomatic and tuned"),
    "another lane": (
        ["prove", "lenet", "--lane", "idiomatic", "-d", "jax,pytorch/compile"],
        "pytorch/compile is tuned",
        "leave out --lane idiomatic",
    ),
    "no such dialect": (["translate", "lenet", "--to", "zzz"], "zzz", "run: stone list dialects"),
    "unknown list": (["list", "workload"], "workload", "workloads"),
    "unknown option": (["compare", "lenet", "--bugdet", "5m"], "--bugdet", "--help"),
    "budget": (["compare", "lenet", "--budget", "soon"], "soon", "5m"),
    "precision": (["compare", "lenet", "--precision", "200%"], "200%", "2%"),
    "threads": (["compare", "lenet", "--threads", "4096"], "4096", "at most"),
    "batch sizes": (["compare", "lenet", "--batch", "8,many"], "8,many", "1,8,32"),
    "no threads": (["compare", "lenet", "--threads", "0,2"], "0,2", "whole numbers"),
    "allocator": (["compare", "lenet", "--allocator", "tcmalloc"], "tcmalloc", "default or kept"),
    "no dialect": (["translate", "lenet"], "no dialect is named", "--to pytorch/eager"),
    "no file": (["prove", "./nothing.py"], "nothing.py", ""),
}


def assert_mistake(said: Said, *expected: str, code: int = 2) -> None:
    assert said.code == code
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err
    assert len(said.err.splitlines()) <= 6
    for words in expected:
        assert words in said.err


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_message_with_a_suggestion(stone: Stone, case: str) -> None:
    words, named, suggestion = MISTAKES[case]
    assert_mistake(stone(*words), named, suggestion)


def test_json_says_the_mistake_too(stone: Stone) -> None:
    said = stone("compare", "lenett", "--json")
    assert said.code == 2
    assert said.json["error"]["message"] == "there is no workload called 'lenett'"
    assert "lenet" in said.json["error"]["hint"]


FILES = {
    "misspelt layer": ("Conv2D(8, kernel=3", "Conv2d(8, kernel=3", "Conv2D"),
    "misspelt keyword": ("Dropout(0.25)", "Dropout(rat=0.25)", "rate"),
    "shapes that do not fit": ("Conv2D(8, kernel=3", "Conv2D(8, kernel=30", "kernel 30"),
    "raises": ("workload = Workload(", "1 / 0\nworkload = Workload(", "ZeroDivisionError"),
    "no syntax": ("workload = Workload(", "workload = = Workload(", "line"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_faulty_file_is_explained(stone: Stone, tmp_path: Path, case: str) -> None:
    old, new, expected = FILES[case]
    source = SMALL.read_text(encoding="utf-8")
    assert old in source
    (tmp_path / "mine.py").write_text(source.replace(old, new), encoding="utf-8")
    assert_mistake(stone("compare", "./mine.py"), "mine.py", expected)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("command", ["compare", "prove", "train"])
def test_two_files_that_name_their_workloads_alike_are_refused(
    stone: Stone, tmp_path: Path, command: str
) -> None:
    """Results are kept by name: one would be shown with the other's proof."""
    source = SMALL.read_text(encoding="utf-8").replace('"small-cnn"', '"mine"')
    (tmp_path / "a.py").write_text(source, encoding="utf-8")
    (tmp_path / "b.py").write_text(source.replace("Dense(16)", "Dense(8)"), encoding="utf-8")
    more = ("--data", "synthetic") if command == "train" else ()
    said = stone(command, "a.py", "b.py", "-d", "null", *more)
    assert_mistake(said, "two different workloads are called 'mine'", "another name")


def test_a_folder_that_cannot_be_made(stone: Stone, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said = stone("prove", SMALL, "-d", "null", STONE_CACHE=str(tmp_path / "file" / "cache"))
    assert_mistake(said, "STONE_CACHE")


def test_an_unwritable_place_for_programs(stone: Stone, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said = stone("translate", "lenet", "--to", "pytorch", "--out", tmp_path / "file" / "out")
    assert said.code == 2
    assert "--out" in said.err


def test_a_full_disk_while_racing_is_said_and_survived(stone: Stone, tmp_path: Path) -> None:
    """/dev/full takes nothing: the ledger cannot be written."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ledger.sqlite").symlink_to("/dev/full")
    said = stone("compare", SMALL, "-d", "null", "--budget", "2s")
    assert said.code == 2
    assert "Traceback" not in said.err
    assert "ledger.sqlite" in said.err
