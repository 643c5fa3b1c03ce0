"""What is said below a ranking of the A/A control, of background load and of the allocator."""

from __future__ import annotations

import math

import pytest

from tensorstone.report.allocator import allocator_said
from tensorstone.report.footnotes import background_said, control_said
from tensorstone.report.machine import damaged_said
from tensorstone.results.background import BackgroundLoad
from tensorstone.results.comparison import Control
from tensorstone.results.estimate import Estimate


@pytest.mark.parametrize(
    ("control", "said"),
    [
        (
            Control("a/b", Estimate(1.01, 0.98, 1.04, 7), 0.0),
            "A/A control: a/b against itself, ratio ×1.01 0.98–1.04 (n = 7, ideal ×1.00).",
        ),
        (
            Control("a/b", Estimate(0.373, None, None, 1), -math.log(0.373)),
            "A/A control: a/b against itself differed, ratio ×0.373 (n = 1, ideal ×1.00); "
            "differences below ×2.68 are not reported.",
        ),
    ],
)
def test_what_the_control_showed_is_said(control: Control, said: str) -> None:
    assert control_said(control) == said


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (BackgroundLoad(100, 0, None), []),
        (BackgroundLoad(100, 0, 0.1), []),  # a machine's own housekeeping
        (BackgroundLoad(1200, 7, 0.0), ["Background load disturbed 7 of 1,200 turns"]),
        (
            BackgroundLoad(5, 0, 1.24),
            ["Warning: other processes used 1.2 of 2 processors throughout"],
        ),
    ],
)
def test_background_load_is_said_where_there_was_any(
    found: BackgroundLoad, said: list[str]
) -> None:
    lines = list(background_said(found, 2))
    assert len(lines) == len(said)
    assert all(line.startswith(start) for line, start in zip(lines, said, strict=True))


def test_how_memory_was_had_is_said() -> None:
    assert "default settings" in allocator_said(kept=False, libc="glibc 2.36")
    assert "keeps freed memory" in allocator_said(kept=True, libc="glibc 2.36")
    assert "cannot be told" in allocator_said(kept=True, libc="musl")


def test_damaged_rows_are_said() -> None:
    assert damaged_said(0, 7) == []
    assert damaged_said(2, 7) == [
        "Warning: 2 damaged rows of the ledger left out; stone show 7 --notes names them."
    ]
