"""Folders follow the variables, and one that cannot be written in is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorstone.support import folders
from tensorstone.support.errors import StoneError


def test_variables_choose_the_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONE_CACHE", str(tmp_path / "c"))
    monkeypatch.setenv("STONE_DATA", str(tmp_path / "d"))
    assert folders.cache_dir() == tmp_path / "c"
    assert folders.envs_dir() == tmp_path / "c" / "envs"
    assert folders.data_dir() == tmp_path / "d"
    assert folders.data_dir().is_dir()


def test_xdg_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STONE_CACHE")
    monkeypatch.delenv("STONE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert folders.cache_dir() == tmp_path / "cache" / "tensorstone"
    assert folders.data_dir() == tmp_path / "data" / "tensorstone"


@pytest.mark.parametrize("place", ["file/below", "/proc/stone"])
def test_an_impossible_folder_is_named_with_its_override(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("STONE_CACHE", str(tmp_path / place))
    with pytest.raises(StoneError, match="cannot make the cache folder") as error:
        folders.envs_dir()
    assert str(tmp_path / place) in error.value.message
    assert "STONE_CACHE" in error.value.hint


def test_a_read_only_folder_is_named_with_its_override(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONE_DATA", "/proc/self")  # not writable, even for root
    with pytest.raises(StoneError, match="cannot write in the data folder /proc/self") as error:
        folders.data_dir()
    assert "STONE_DATA" in error.value.hint
