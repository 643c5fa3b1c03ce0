"""Two levels of variation are told apart, and the plan that follows from them is the cheapest."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.analysis.bootstrap import CLAIM
from tensorstone.analysis.variance_components import (
    Components,
    Prices,
    best_turns,
    components,
    half_width,
    seconds_needed,
)

logs = st.floats(-1, 1)
groups = st.lists(st.lists(logs, min_size=1, max_size=5), min_size=2, max_size=6)


def drawn(rng: random.Random, true: Components, sizes: list[int]) -> list[list[float]]:
    moods = [rng.gauss(0, true.between) for _ in sizes]
    return [
        [mood + rng.gauss(0, true.within) for _ in range(n)]
        for mood, n in zip(moods, sizes, strict=True)
    ]


@pytest.mark.parametrize("true", [Components(0.05, 0.02), Components(0.02, 0.05)])
@pytest.mark.parametrize("sizes", [[8] * 10, [1, 2, 3, 3, 2, 1, 2, 3, 30, 40]])
def test_both_variances_are_right_on_average(true: Components, sizes: list[int]) -> None:
    """Also for groups of different sizes. The variances are what is unbiased, and clipping at
    zero is rare here."""
    rng = random.Random(1)
    found = [components(drawn(rng, true, sizes)) for _ in range(1500)]
    between = statistics.fmean(one.between**2 for one in found if one)
    within = statistics.fmean(one.within**2 for one in found if one)
    assert between == pytest.approx(true.between**2, rel=0.08)
    assert within == pytest.approx(true.within**2, rel=0.03)


def test_restarts_that_do_not_differ_are_often_seen_as_such() -> None:
    rng = random.Random(2)
    found = [components(drawn(rng, Components(0.0, 0.05), [6] * 6)) for _ in range(300)]
    assert 0.4 <= statistics.fmean(one is not None and one.between == 0 for one in found) <= 0.7


@given(groups, st.floats(-5, 5))
def test_what_all_share_is_no_variation(values: list[list[float]], shift: float) -> None:
    plain = components(values)
    shifted = components([[value + shift for value in group] for group in values])
    assert plain is not None and shifted is not None
    assert shifted.within == pytest.approx(plain.within, abs=1e-6)
    assert shifted.between == pytest.approx(plain.between, abs=1e-6)


def test_one_group_or_none_says_nothing() -> None:
    assert components([]) is None
    assert components([[1.0, 2.0, 3.0]]) is None
    assert components([[1.0, 2.0], []]) is None


def test_single_turns_cannot_be_told_from_restarts() -> None:
    values = [0.01, 0.04, -0.03, 0.02]
    found = components([[value] for value in values])
    assert found is not None and found.within == 0.0
    assert found.between == pytest.approx(statistics.stdev(values))


seconds = st.floats(0.5, 100)


@given(st.floats(0, 0.2), st.floats(1e-3, 0.2), seconds, seconds, st.floats(0.01, 0.1))
def test_no_number_of_turns_claims_a_difference_sooner(
    between: float, within: float, restart_s: float, turn_s: float, precision: float
) -> None:
    found, prices, choices = Components(between, within), Prices(restart_s, turn_s), range(1, 50)
    best = best_turns(found, prices, precision, math.inf, choices)
    soonest = min(seconds_needed(found, n, prices, precision, CLAIM) for n in choices)
    assert seconds_needed(found, best, prices, precision, CLAIM) == soonest


@given(st.floats(0, 0.2), st.floats(1e-3, 0.2), seconds, seconds)
def test_no_number_of_turns_makes_more_of_a_budget(
    between: float, within: float, restart_s: float, turn_s: float
) -> None:
    found, prices, choices = Components(between, within), Prices(restart_s, turn_s), range(1, 50)
    budget_s = 10 * prices.of(1, turns=10)
    best = best_turns(found, prices, 0.0, budget_s, choices)
    widths = {
        n: half_width(found, n, restarts, CLAIM)
        for n in choices
        if (restarts := int(budget_s / prices.of(1, n))) >= 3
    }
    assert widths[best] == min(widths.values())


def test_turns_stay_within_their_bounds() -> None:
    """Restarts that do not differ want many turns, but not so many that few restarts are left."""
    prices, choices = Prices(10.0, 1.0), range(2, 21)
    assert best_turns(Components(0.0, 0.1), prices, 0.0, 10_000, choices) == 20
    assert best_turns(Components(0.1, 0.0), prices, 0.0, 10_000, choices) == 2
    assert best_turns(Components(0.0, 0.1), prices, 0.0, 100, choices) < 12
    assert best_turns(Components(0.0, 0.1), prices, 0.01, 1, choices) == 2


def test_the_time_is_what_student_asks_for() -> None:
    """Three restarts have t = 4.303: 0.04 * 4.303 / sqrt(3) = 0.0994."""
    found = Components(0.04, 0.0)
    assert seconds_needed(found, 5, Prices(10, 2), 0.0995) == 3 * 20
    assert seconds_needed(found, 5, Prices(10, 2), 0.0993) == 4 * 20
    assert seconds_needed(Components(0.0, 0.0), 5, Prices(10, 2), 0.01) == 3 * 20
    with pytest.raises(ValueError, match="precision"):
        seconds_needed(found, 5, Prices(10, 2), 0.0)


@given(st.floats(0, 0.3), st.floats(0, 0.3), st.floats(0.005, 0.2))
def test_more_precision_never_takes_less_time(b: float, w: float, precision: float) -> None:
    found = Components(b, w)
    assert seconds_needed(found, 4, Prices(9, 1), precision / 2) >= seconds_needed(
        found, 4, Prices(9, 1), precision
    )


def test_the_time_suffices_about_half_the_time() -> None:
    """Expected, not guaranteed: the spread of the sample at hand may be larger."""
    rng, true, turns, precision = random.Random(3), Components(0.03, 0.05), 4, 0.02
    restarts = round(seconds_needed(true, turns, Prices(0.0, 1.0), precision) / turns)
    from scipy.special import stdtrit

    factor = float(stdtrit(restarts - 1, 0.975)) / math.sqrt(restarts)
    enough = 0
    for _ in range(400):
        means = [statistics.fmean(group) for group in drawn(rng, true, [turns] * restarts)]
        enough += factor * statistics.stdev(means) <= precision
    assert 0.42 <= enough / 400 <= 0.65
