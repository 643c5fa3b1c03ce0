"""When a cell counts as falling short: a defect that is known, and shown as such, does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensorstone.report.proofs import remarks
from tensorstone.results.cell import Cell

CELL = Cell("lenet", "old/plain", "old", "1.0", "idiomatic", "ok")


@pytest.mark.parametrize(
    ("status", "short"),
    [("ok", False), ("unsupported", False), ("unequal", True), ("crashed", True)],
)
def test_what_falls_short(status: str, short: bool) -> None:
    assert replace(CELL, status=status).fell_short is short


def test_a_known_defect_is_shown_and_is_no_surprise() -> None:
    cell = replace(CELL, status="unequal", reason="gates swapped", known_defect=True)
    assert not cell.fell_short
    assert not cell.ok
    assert cell.to_json()["known_defect"] is True
    (line,) = remarks([cell])
    assert line == "old/plain: unequal, a known defect (docs/findings.md): gates swapped"
