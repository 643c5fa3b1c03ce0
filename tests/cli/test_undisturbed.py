"""Two that time at once would both be wrong: the second says so and does nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from cli.conftest import SMALL, Stone, temporary
from cli.test_mistakes import assert_mistake
from tensorstone.referee.undisturbed import undisturbed


@pytest.mark.parametrize("command", ["compare", "train"])
def test_the_second_is_refused_before_it_starts_anything(
    command: str, stone: Stone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary(tmp_path)))
    words = (command, SMALL, "--dialects", "null")
    if command == "train":
        words = (*words, "--data", "synthetic")
    with undisturbed():
        said = stone(*words)
    assert_mistake(said, "another stone is timing on this machine (process ", "wait until it")


def test_the_lock_goes_with_its_holder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for _ in range(2):
        with undisturbed():
            pass
