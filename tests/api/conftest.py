"""Python's own side of tensorstone, in this process: folders of its own, no framework needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.conftest import (
    environment,
    fresh_stone,  # noqa: F401 (a fixture)
)
from cli.conftest import stone as command  # noqa: F401 (a fixture: the command line)

import tensorstone as stone
from tensorstone.dialects import emit, registry
from tensorstone.models.load import find

SMALL = Path(__file__).parents[1] / "workloads" / "small_cnn.py"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders and rooms as `stone` of the command line's tests has them."""
    for name, value in environment(tmp_path).items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    _forget_rooms()
    yield tmp_path
    monkeypatch.undo()
    _forget_rooms()


def _forget_rooms() -> None:
    """A process reads the rooms once, and other tests have other rooms."""
    registry.rooms.cache_clear()
    emit._templates.cache_clear()


@pytest.fixture
def result(home: Path) -> stone.Result:
    """A race of the program that computes nothing: measured for real, in seconds."""
    return stone.compare(find(str(SMALL)), "null", budget=2, threads=1, progress=False)
