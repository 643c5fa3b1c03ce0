"""The locks that ship: for every room, hashed, CPU only, and silent about where they were made."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tensorstone.dialects.lock import accelerators
from tensorstone.dialects.registry import Framework, frameworks, versions
from tensorstone.runtime.environments import locked

ROOT = Path(__file__).parents[3]
ROOMS = [f for f in (*frameworks().values(), *versions().values()) if f.python]
FILES = [room.lock for room in ROOMS] + [
    ROOT / "requirements.lock",
    ROOT / "requirements-dev.lock",
]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_s_lock_pins_what_the_room_asks_for(room: Framework) -> None:
    lock = locked.read(room.lock)
    for asked in map(Requirement, room.requirements):
        assert asked.specifier.contains(lock.packages[asked.name.lower()].partition("+")[0])
    assert not accelerators(lock.packages, room)
    assert 0 < lock.sizes.download < lock.sizes.unpacked
    assert lock.sizes.bytecode > 0


def test_torch_is_the_cpu_build() -> None:
    assert locked.read(frameworks()["pytorch"].lock).packages["torch"].endswith("+cpu")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_pin_is_hashed_and_no_place_is_named(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pins = re.findall(r"^\w[^\n]*==[^\n]*$", text, re.MULTILINE)
    assert pins
    assert all(pin.endswith("\\") for pin in pins)  # a hash follows
    assert "://" not in text
    assert not re.search(r"(^|\s)/\w", text)


def test_the_developers_lock_agrees_with_stone_s_own() -> None:
    own, developers = (
        set(re.findall(r"^(\w\S*==\S+)", (ROOT / name).read_text(), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert own < developers


def test_a_fingerprint_changes_with_the_pins_and_with_the_python() -> None:
    one = locked.Lock(Path(), "a==1")
    assert one.fingerprint("3.11") == locked.Lock(Path("/elsewhere"), "a==1").fingerprint("3.11")
    assert one.fingerprint("3.11") != one.fingerprint("3.12")
    assert one.fingerprint("3.11") != locked.Lock(Path(), "a==2").fingerprint("3.11")
