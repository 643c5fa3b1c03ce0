"""A file that never ends is refused, never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli.conftest import Stone

from hardening.conftest import LINE, sound


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


MAKES = {"a pipe": _pipe, "a link to /dev/zero": _zero}


@pytest.mark.parametrize("kind", MAKES)
@pytest.mark.parametrize("command", [("translate", "--to", "null"), ("prove", "-d", "null")])
def test_in_place_of_a_workload_file(stone: Stone, tmp_path: Path, command, kind: str) -> None:
    MAKES[kind](tmp_path / "mine.py")
    said = sound(stone(command[0], "./mine.py", *command[1:]))
    assert said.code == 2
    assert "a pipe or a device" in said.err


@pytest.mark.parametrize("kind", MAKES)
def test_in_place_of_another_ledger(stone: Stone, tmp_path: Path, kind: str) -> None:
    MAKES[kind](tmp_path / "other")
    said = sound(stone("ledger", "merge", "./other"))
    assert said.code == 2
    assert "not a ledger" in said.err


@pytest.mark.parametrize("kind", MAKES)
def test_in_place_of_what_was_assembled(stone: Stone, tmp_path: Path, kind: str) -> None:
    cache = str(tmp_path / "cache")
    sound(stone("compare", LINE, "-d", "null", "--budget", "1s", STONE_CACHE=cache))
    before = sound(stone("show", STONE_CACHE=cache)).out
    kept = list((tmp_path / "cache").rglob("*.bin"))
    assert kept
    for path in kept:
        path.unlink()
        MAKES[kind](path)
    assert sound(stone("show", STONE_CACHE=cache)).out == before


def test_a_file_of_gigabytes_is_no_workload(stone: Stone, tmp_path: Path) -> None:
    with (tmp_path / "mine.py").open("wb") as file:
        file.truncate(2**33)
    said = sound(stone("translate", "./mine.py", "--to", "null"))
    assert said.code == 2
    assert "8192 MiB" in said.err
