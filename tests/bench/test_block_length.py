"""How long a block is, given the budget and how many race."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tensorstone.bench.plan import (
    BLOCKS,
    LONGEST_BLOCK_S,
    SHORTEST_BLOCK_S,
    WANTED_ROUNDS,
    block_seconds,
)


def test_three_minutes_for_four_give_short_blocks() -> None:
    assert block_seconds(180, 4) == 180 / 3 / (WANTED_ROUNDS * BLOCKS * 4)


@given(budget=st.floats(1, 1e5), contestants=st.integers(0, 100))
def test_blocks_fit_the_budget_within_their_bounds(budget: float, contestants: int) -> None:
    found = block_seconds(budget, contestants)

    assert SHORTEST_BLOCK_S <= found <= LONGEST_BLOCK_S
    if found > SHORTEST_BLOCK_S:
        assert found * WANTED_ROUNDS * BLOCKS * contestants <= budget / 3 + 1e-9
    assert block_seconds(2 * budget, contestants) >= found
