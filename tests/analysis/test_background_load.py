"""Background load: the turns it hit, and what was used throughout."""

from __future__ import annotations

from msgspec.structs import replace

from tensorstone.analysis.background_load import background_load
from tensorstone.results.background import BackgroundLoad
from tensorstone.results.trial import Block, Trial

BLOCK = Block(1, 1.0, 1.0, 0, 0, 0, 0)
HIT = replace(BLOCK, disturbed=True)
SEEN = {1: 0.4, 2: 1.9, 3: 0.0}  # processors, by round


def trial(name: str, *blocks: Block, round: int = 1, busy: float | None = None) -> Trial:
    return Trial(name, round, 0, blocks=blocks, background_load=busy)


def test_a_turn_is_disturbed_once_whoever_it_hit() -> None:
    trials = [trial("a", HIT, BLOCK, HIT), trial("b", HIT, HIT, BLOCK), trial("b", HIT, round=2)]
    assert background_load(trials) == BackgroundLoad(turns=4, disturbed=4, busy=None)


def test_a_load_that_stays_is_the_median_of_what_was_seen_in_each_group() -> None:
    trials = [trial(name, BLOCK, round=r, busy=busy) for name in "ab" for r, busy in SEEN.items()]
    assert background_load(trials) == BackgroundLoad(turns=3, disturbed=0, busy=0.4)
