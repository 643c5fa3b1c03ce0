"""When a cell counts as falling short: a defect that is known, and shown as such, does not."""

from __future__ import annotations

import pytest
from made_up import CELL as MADE_UP
from msgspec.structs import replace

from tensorstone.report.as_json import cell_json
from tensorstone.report.proofs import remarks
from tensorstone.results.outcome import Outcome, Status

CELL = replace(MADE_UP, dialect="old/plain", framework="old")


@pytest.mark.parametrize(
    ("status", "short"),
    [("ok", False), ("unsupported", False), ("unequal", True), ("crashed", True)],
)
def test_what_falls_short(status: Status, short: bool) -> None:
    assert replace(CELL, outcome=Outcome(status)).fell_short is short


def test_a_known_defect_is_shown_and_is_no_surprise() -> None:
    cell = replace(CELL, outcome=Outcome("unequal", "gates swapped"), known_defect=True)
    assert not cell.fell_short
    assert not cell.ok
    assert cell_json(cell)["known_defect"] is True
    (line,) = remarks([cell])
    assert line == "old/plain: unequal, a known defect (docs/findings.md): gates swapped"
