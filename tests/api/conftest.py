"""Python's own side of tensorstone, in this process: folders of its own, no framework needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli.conftest import environment
from cli.conftest import stone as command  # noqa: F401 (a fixture: the command line)

import tensorstone as stone
from tensorstone.models.load import find

SMALL = Path(__file__).parents[1] / "workloads" / "small_cnn.py"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The ledger's folder, the same that `stone` of the command line's tests has."""
    for name, value in environment(tmp_path).items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    return tmp_path


@pytest.fixture
def result(home: Path) -> stone.Result:
    """A race of the program that computes nothing: measured for real, in seconds."""
    return stone.compare(find(str(SMALL)), "null", budget=2, threads=1, progress=False)
