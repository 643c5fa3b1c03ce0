"""Every test here has its own cache folder, and no mirror unless it makes one."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STONE_DATA_MIRROR", raising=False)
