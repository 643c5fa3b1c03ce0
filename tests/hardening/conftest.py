"""Programs that misbehave, beside the tests that run them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.conftest import Said, fresh_stone, stone

__all__ = ["fresh_stone", "stone"]

ROOMS = str(Path(__file__).parent / "rooms")
LINE = Path(__file__).resolve().parents[1] / "workloads" / "small_line.py"


def sound(said: Said) -> Said:
    """It ended as a command may end, and nobody saw a traceback."""
    assert said.code in (0, 1, 2, 3), said.err
    assert "Traceback" not in said.err
    return said


@pytest.fixture
def changed(tmp_path: Path):
    """A copy of the small workload's file with one thing changed; its path."""

    def change(old: str, new: str) -> Path:
        text = LINE.read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "mine.py"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path

    return change
