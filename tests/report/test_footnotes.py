"""What is said below a ranking of the A/A control, of background load and of the allocator."""

from __future__ import annotations

import math
from io import StringIO
from pathlib import Path

import pytest
from made_up import CELL, comparison, facts
from msgspec.structs import replace
from rich.console import Console

from tensorstone.report.allocator import allocator_said
from tensorstone.report.footnotes import background_said, control_said, footnotes
from tensorstone.report.machine import damaged_said
from tensorstone.report.proofs import remarks
from tensorstone.report.ranking import ranking_table
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


def lines(ranks: tuple[int, ...], n: int) -> str:
    cells = [
        replace(CELL, dialect=f"a/{rank}-{place}", rank=rank, metrics={"step_s": step})
        for place, rank in enumerate(ranks)
        for step in [Estimate(1e-3, None, None, n)]
    ]
    why = "the budget of 1 min allows 2 rounds only, and a round takes about 28 s: raise the budget"
    done = comparison(cells, facts(1, why=why if n < 4 else "done"))
    console = Console(width=200, file=StringIO())
    console.print(ranking_table("LeNet", cells))
    console.print(*footnotes(done, Path("ledger")), sep="\n", soft_wrap=True)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_too_few_rounds_give_no_ranks() -> None:
    text = lines((1, 1), 2)
    assert text.count("–  ") == 2
    assert "No ranks: fewer than 4 rounds are too few to tell these apart." in text


def test_a_factor_of_two_separates_ranks_and_the_notes_agree() -> None:
    text = lines((1, 2), 2)
    assert "too few" not in text
    assert "ranks differ only where every round showed a factor of two" in text


def test_a_lone_contestant_has_its_rank() -> None:
    text = lines((1,), 2)
    assert "–" not in text and "equal rank" not in text


def test_with_enough_rounds_ranks_are_shown() -> None:
    text = lines((1, 1), 4)
    assert "–" not in text and "Contestants of equal rank cannot be told apart." in text


def test_null_is_said_to_be_unproven() -> None:
    cell = replace(CELL, dialect="null/nothing", framework="null")
    assert remarks([cell]) == [
        "null/nothing: the harness's own: it computes nothing, and nothing was proven"
    ]
