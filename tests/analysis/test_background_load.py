"""What others did is said: the turns they hit, and the load that stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensorstone.analysis.background_load import Others, others
from tensorstone.report.footnotes import others_said
from tensorstone.results.trial import Block, Trial

BLOCK = Block(1, 1.0, 1.0, 0, 0, 0, 0)
HIT = replace(BLOCK, disturbed=True)
SEEN = {1: 0.4, 2: 1.9, 3: 0.0}  # processors, by round


def trial(name: str, *blocks: Block, round: int = 1, busy: float | None = None) -> Trial:
    return Trial(name, round, 0, blocks=blocks, others_busy=busy)


def test_a_turn_is_disturbed_once_whoever_it_hit() -> None:
    trials = [trial("a", HIT, BLOCK, HIT), trial("b", HIT, HIT, BLOCK), trial("b", HIT, round=2)]
    assert others(trials) == Others(turns=4, disturbed=4, busy=None)


def test_a_load_that_stays_is_the_middle_of_what_was_seen_in_each_sitting() -> None:
    trials = [trial(name, BLOCK, round=r, busy=busy) for name in "ab" for r, busy in SEEN.items()]
    assert others(trials) == Others(turns=3, disturbed=0, busy=0.4)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Others(100, 0, None), []),
        (Others(100, 0, 0.1), []),  # a machine's own housekeeping
        (Others(1200, 7, 0.0), ["Others disturbed 7 of 1,200 turns"]),
        (Others(5, 0, 1.24), ["Others kept 1.2 of 2 processors busy all the while"]),
    ],
)
def test_it_is_said_where_there_was_any(found: Others, said: list[str]) -> None:
    lines = list(others_said(found, 2))
    assert len(lines) == len(said)
    assert all(line.startswith(start) for line, start in zip(lines, said, strict=True))
