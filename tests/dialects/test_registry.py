"""Rooms read from their `framework.toml`: one framework, several builds, other versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorstone.dialects import registry
from tensorstone.dialects.other_names import OTHER_NAMES
from tensorstone.dialects.registry import Need
from tensorstone.support.errors import StoneError

ROOM = """\
title = "Old"
home = ""
python = "3.8"
package = "old"
requirements = ["old==2.0"]
layout = "NCHW"
note = "slow here"

[environment]
OLD_THREADS = "{threads}"
OLD_HOME = "{env}/home"

[builds.fast]
python = "3.7"
requirements = ["old==2.0", "fast==1.0"]
system = [{ needs = "libfast.so.1", debian = "libfast1" }]

[builds.fast.environment]
OLD_BACKEND = "fast"

[versions."1.0"]
requirements = ["old==1.0"]
dialects = ["plain"]

[dialects.plain]
lane = "idiomatic"
meaning = "as everyone wrote"

[dialects.fast]
build = "fast"
lane = "tuned"
meaning = "with the fast library"
note = "only some layers"
"""


@pytest.fixture(autouse=True)
def old_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "framework.toml").write_text(ROOM)
    monkeypatch.setenv("STONE_ROOMS", str(tmp_path))
    monkeypatch.setattr(registry, "rooms", registry.rooms.__wrapped__)  # not what is kept


def names(*words: str) -> list[str]:
    return [dialect.name for dialect in registry.select(list(words))]


def test_a_room_is_selected_whole_or_in_part_and_a_version_only_by_name() -> None:
    assert names("old") == ["old/plain", "old/fast"]
    assert names("old-fast") == names("old/fast") == ["old/fast"]
    assert names("old@1.0") == names("old@1.0/plain") == ["old@1.0/plain"]
    everything = [dialect.name for dialect in registry.select([], everything=True)]
    assert {"old/plain", "old/fast"} < set(everything)
    assert "old@1.0/plain" not in everything


def test_a_variant_s_own_words_win_and_its_variables_join_the_others() -> None:
    plain, fast, first = map(registry.lookup, ("old", "old-fast", "old@1.0"))
    assert (plain.python, fast.python, first.python) == ("3.8", "3.7", "3.8")
    assert (plain.pin, fast.pin, first.pin) == ("2.0", "2.0", "1.0")
    assert (plain.system, fast.system) == ((), (Need("libfast.so.1", "libfast1"),))
    threads = {"OLD_THREADS": "2", "OLD_HOME": "/e/home"}
    assert plain.variables(2, Path("/e")) == first.variables(2, Path("/e")) == threads
    assert fast.variables(2, Path("/e")) == threads | {"OLD_BACKEND": "fast"}
    locks = [framework.lock.name for framework in (plain, fast, first)]
    assert locks == ["requirements.lock", "requirements-fast.lock", "requirements-1.0.lock"]


def test_a_handicap_of_the_build_is_said_beside_every_dialect() -> None:
    assert registry.dialects()["old/plain"].note == "slow here"
    assert registry.dialects()["old/fast"].note == "slow here; only some layers"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Torch/Eager", "pytorch/eager"),
        ("TF/keras", "tensorflow/keras"),
        ("tf@2.4.0/keras", "tensorflow@2.4.0/keras"),
        ("flax", "jax/flax"),
        ("OLD/fast", "old/fast"),
    ],
)
def test_other_names_and_any_case(word: str, meant: str) -> None:
    assert names(word) == [meant]


def test_every_other_name_means_something() -> None:
    assert all(names(word) for word in OTHER_NAMES)


def test_a_framework_gives_its_dialects_of_a_lane_and_a_named_one_must_be_in_it() -> None:
    assert [d.name for d in registry.select(["old"], "tuned")] == ["old/fast"]
    with pytest.raises(StoneError, match="old/plain is idiomatic: not in the lane 'tuned'"):
        registry.select(["old/plain", "old/fast"], "tuned")


@pytest.mark.parametrize("word", ["old@1.1/plain", "old@1.0/fast", "old/plan"])
def test_what_is_not_there_gets_a_suggestion(word: str) -> None:
    with pytest.raises(StoneError) as unknown:
        registry.select([word])
    assert "old@1.0/plain" in unknown.value.hint or "old/plain" in unknown.value.hint


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('title = "Old"', 'titel = "Old"', "unknown key 'titel'"),
        ('home = ""\n', "", "home is missing"),
        ('layout = "NCHW"', 'layout = "HWC"', "layout is 'HWC'"),
        ('lane = "idiomatic"\n', "", "dialects.plain: lane is missing"),
        ('lane = "tuned"', 'lane = "fast"', "dialects.fast: lane is 'fast'"),
        ('build = "fast"', 'build = "swift"', "dialects.fast: there is no [builds.swift]"),
        ('dialects = ["plain"]', 'dialects = ["bare"]', "versions.1.0: there is no dialect 'bare'"),
        ('title = "Old"', "title = Old", "Invalid value"),
    ],
)
def test_a_mistake_in_a_room_s_table_is_named(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    toml = tmp_path / "old" / "framework.toml"
    assert before in ROOM
    toml.write_text(ROOM.replace(before, after))
    with pytest.raises(StoneError) as mistake:
        registry.rooms()
    assert mistake.value.message.startswith(f"{toml}: ")
    assert said in mistake.value.message
    assert mistake.value.hint


def test_a_folder_of_rooms_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONE_ROOMS", "/no/such/rooms")
    with pytest.raises(StoneError, match="/no/such/rooms, which is not a folder"):
        registry.rooms()
