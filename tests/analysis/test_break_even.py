"""Where two contestants meet, and how sure that is."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.analysis.bootstrap import geometric
from tensorstone.analysis.break_even import Costs, break_even, total_s
from tensorstone.results.comparison import BreakEven

times = st.floats(1e-3, 1e3)


def same(cold_s: float, step_s: float, restarts: int = 4) -> Costs:
    return Costs(dict.fromkeys(range(restarts), cold_s), dict.fromkeys(range(restarts), step_s))


def race(rng: random.Random, restarts: int, one: tuple[float, float], other: tuple[float, float]):
    """What slows a restart slows both; processes differ by 3 %, cold costs by 5 %."""
    moods = [rng.gauss(0, 0.1) for _ in range(restarts)]

    def drawn(typical: float, spread: float) -> dict[int, float]:
        return {r: typical * math.exp(mood + rng.gauss(0, spread)) for r, mood in enumerate(moods)}

    return tuple(Costs(drawn(cold, 0.05), drawn(step, 0.03)) for cold, step in (one, other))


def test_the_slow_starter_overtakes() -> None:
    assert break_even(same(10, 0.1), same(5, 0.2)) == BreakEven(*(pytest.approx(50),) * 3, n=4)


def test_it_does_not_matter_who_is_named_first() -> None:
    one, other = race(random.Random(1), 5, (30, 0.10), (5, 0.13))
    assert break_even(one, other) == break_even(other, one)


def test_who_is_ahead_from_first_to_last_meets_nobody() -> None:
    assert break_even(same(1, 0.1), same(10, 0.2)) is None
    assert break_even(same(5, 0.1), same(1, 0.1)) is None
    assert break_even(same(5, 0.1), same(5, 0.2)) is None


def test_only_whole_and_shared_restarts_count() -> None:
    one = Costs({0: 10, 1: 10, 2: 10, 3: 99}, {0: 0.1, 1: 0.1, 3: 9.0})
    other = Costs({0: 5, 1: 5, 2: 5}, {0: 0.2, 1: 0.2, 2: 0.2})
    found = break_even(one, other)
    assert found is not None and found.n == 2
    assert found.steps == pytest.approx(50)
    assert (found.low, found.high) == (None, None)
    assert break_even(Costs({0: 1}, {0: 1}), Costs({1: 1}, {1: 1})) is None


@given(st.lists(st.tuples(times, times, times, times), min_size=3, max_size=6))
def test_the_estimate_lies_in_its_interval(rows: list[tuple[float, ...]]) -> None:
    cold_one, step_one, cold_other, step_other = (
        dict(enumerate(column)) for column in zip(*rows, strict=True)
    )
    found = break_even(Costs(cold_one, step_one), Costs(cold_other, step_other))
    if found is not None:
        assert found.low is not None and found.high is not None
        assert 0 <= found.low <= found.steps <= found.high


@pytest.mark.parametrize("restarts", [3, 5, 10])
def test_the_interval_covers_the_truth(restarts: int) -> None:
    """30 s against 5 s, 100 ms against 130 ms: they meet at 833 steps."""
    rng, hits, races = random.Random(restarts), 0, 400
    for _ in range(races):
        found = break_even(*race(rng, restarts, (30, 0.10), (5, 0.13)))
        assert found is not None and found.low is not None and found.high is not None
        hits += found.low <= 25 / 0.03 <= found.high
    # 95 % is promised; three standard errors of 400 races are 3.3 %.
    assert 0.917 <= hits / races <= 0.99


UNSURE = (1.05, 0.96, 1.02, 0.98, 1.01)  # above 1 on average, not surely


def test_steps_too_close_to_call_may_never_meet() -> None:
    other = Costs(dict.fromkeys(range(5), 5.0), dict(enumerate(UNSURE)))
    found = break_even(same(30, 1.0, restarts=5), other)
    assert found is not None and found.low is not None
    assert found.high == math.inf
    assert 0 < found.low < found.steps


def test_starts_too_close_to_call_may_meet_at_once() -> None:
    one = Costs(dict(enumerate(UNSURE)), dict.fromkeys(range(5), 0.1))
    found = break_even(one, same(1.0, 0.2, restarts=5))
    assert found is not None and found.high is not None
    assert found.low == 0.0
    assert found.steps < found.high < 1


def test_when_nothing_is_sure_nothing_is_said() -> None:
    one = Costs(dict(enumerate(UNSURE)), dict.fromkeys(range(5), 1.0))
    other = Costs(dict.fromkeys(range(5), 1.0), dict(enumerate(UNSURE)))
    found = break_even(one, other)
    assert found is not None and (found.low, found.high) == (0.0, math.inf)


def test_the_curves_cross_where_it_is_said() -> None:
    one, other = race(random.Random(6), 6, (30, 0.10), (5, 0.13))
    found = break_even(one, other)
    assert found is not None
    before, after = math.floor(found.steps), math.ceil(found.steps)
    early, late = total_s(one, [before, after]), total_s(other, [before, after])
    assert early[0].value > late[0].value
    assert early[1].value < late[1].value


def test_a_curve_begins_with_the_cold_cost_and_ends_with_the_steps() -> None:
    one, _ = race(random.Random(7), 6, (30, 0.10), (5, 0.13))
    start, end = total_s(one, [0, 10**9])
    cold = geometric(list(one.cold_s.values()))
    step = geometric(list(one.step_s.values()))
    for total, part, unit in ((start, cold, 1.0), (end, step, 1e9)):
        assert total.low is not None and total.high is not None
        assert part.low is not None and part.high is not None
        assert total.value == pytest.approx(part.value * unit, rel=1e-6)
        assert total.low == pytest.approx(part.low * unit, rel=0.02)
        assert total.high == pytest.approx(part.high * unit, rel=0.02)


def test_a_curve_of_two_restarts_has_no_interval() -> None:
    (total,) = total_s(same(3, 0.5, restarts=2), [10])
    assert (total.value, total.low, total.high) == (pytest.approx(8), None, None)
    with pytest.raises(ValueError, match="nothing"):
        total_s(Costs({0: 1.0}, {1: 1.0}), [10])
