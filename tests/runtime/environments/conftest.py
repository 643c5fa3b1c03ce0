"""Every test here has its own cache folder, and packages from its own folder only."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_room import make_room, make_wheel

from tensorstone.dialects.registry import Framework
from tensorstone.runtime.environments import interpreters


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    interpreters.find.cache_clear()


@pytest.fixture
def room(tmp_path: Path) -> Framework:
    return make_room(tmp_path / "room", make_wheel(tmp_path / "wheels", "tinyframework"))


@pytest.fixture
def without_python(room: Framework) -> Framework:
    return replace(room, python="3.99")
