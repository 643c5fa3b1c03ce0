"""States as they are, and space given back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tiny_room import make_room, make_wheel

from tensorstone.dialects.registry import Framework, frameworks
from tensorstone.runtime.environments import environment
from tensorstone.runtime.environments.disk import measure
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.environments.listing import remove, status
from tensorstone.support.errors import StoneError


def test_a_life(room: Framework) -> None:
    before = status(room)
    assert (before.state, before.next) == ("not-installed", "stone env install tiny")
    assert (before.size_bytes, before.download_bytes) == (0, 2000)
    made = ensure(room)
    there = status(room)
    assert (there.state, there.version, there.next) == ("installed", "1.0", "")
    assert 0 < there.size_bytes <= measure([made.path]).total  # which has the marker too
    (made.path / environment.MARKER).unlink()
    assert status(room).state == "broken"
    assert remove(room).reclaimable > 0
    assert status(room) == before


def test_removing_takes_older_environments_too_but_not_a_namesake_s(
    room: Framework, tmp_path: Path
) -> None:
    ensure(room)
    ensure(make_room(room.room, make_wheel(tmp_path / "wheels", "tinyframework", "2.0")))
    other = environment.home(room).with_name("tiny-2-0123456789ab")
    other.mkdir()
    assert len(environment.all_homes(room)) == 2
    assert remove(room).reclaimable > 0
    assert environment.all_homes(room) == []
    assert other.exists()


def test_removing_nothing_gives_nothing(room: Framework) -> None:
    assert remove(room).total == 0


def test_a_missing_interpreter_is_a_state_with_a_command(without_python: Framework) -> None:
    there = status(without_python)
    assert there.state == "missing-interpreter"
    assert there.next.endswith("install 3.99")


def test_a_room_without_its_lock_is_named(room: Framework) -> None:
    room.lock.unlink()
    with pytest.raises(StoneError, match=r"has no requirements\.lock"):
        status(room)


def test_null_is_always_there() -> None:
    assert status(frameworks()["null"]).state == "installed"


def test_files_linked_from_outside_are_not_reclaimable(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
    (inside / "own").write_bytes(b"x" * 10_000)
    (inside / "shared").write_bytes(b"x" * 20_000)
    os.link(inside / "shared", outside / "shared")
    space = measure([inside])
    assert space.total >= 30_000
    assert 10_000 <= space.reclaimable < 20_000
    assert measure([inside, outside]).reclaimable == space.total
