"""The statistics keep their promises: invariances, coverage, ties, and silence below three."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.bench.bootstrap import geometric
from tensorstone.bench.results import Block
from tensorstone.bench.statistics import (
    noise_floor,
    paired_ratio,
    ranking,
    tied,
    trial_value,
    widest_interval,
)

times = st.floats(1e-6, 1e3)
samples = st.lists(times, min_size=3, max_size=12)


def close(a: float | None, b: float | None) -> bool:
    assert a is not None and b is not None
    return math.isclose(a, b, rel_tol=1e-9)


@given(samples, st.floats(1e-3, 1e3))
def test_scaling_the_values_scales_the_estimate(values: list[float], factor: float) -> None:
    plain, scaled = geometric(values), geometric([value * factor for value in values])
    assert close(scaled.value, plain.value * factor)
    assert plain.low is not None and plain.high is not None
    assert close(scaled.low, plain.low * factor)
    assert close(scaled.high, plain.high * factor)


@given(samples, st.randoms())
def test_the_order_of_values_does_not_matter(values: list[float], rng: random.Random) -> None:
    shuffled = values.copy()
    rng.shuffle(shuffled)
    assert geometric(shuffled) == geometric(values)


@given(samples)
def test_the_estimate_lies_in_its_interval(values: list[float]) -> None:
    estimate = geometric(values)
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low <= estimate.value <= estimate.high


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0]])
def test_below_three_values_there_is_no_interval(values: list[float]) -> None:
    estimate = geometric(values)
    assert (estimate.low, estimate.high, estimate.half_width) == (None, None, None)


def two_level(rng: random.Random, rounds: int, true_step: float, shared: list[float]):
    """Processes differ, blocks in a process differ, and rounds share the machine's mood."""
    values = {}
    for r in range(rounds):
        process = true_step * math.exp(shared[r] + rng.gauss(0, 0.02))
        blocks = [process * math.exp(rng.gauss(0, 0.01)) for _ in range(5)]
        values[r] = sorted(blocks)[2]
    return values


@pytest.mark.parametrize("rounds", [3, 5, 10])
def test_the_interval_of_a_ratio_covers_the_truth(rounds: int) -> None:
    rng = random.Random(rounds)
    truth, races, hits = 1.3, 600, 0
    for _ in range(races):
        mood = [rng.gauss(0, 0.2) for _ in range(rounds)]
        slower, faster = two_level(rng, rounds, truth, mood), two_level(rng, rounds, 1.0, mood)
        ratio = paired_ratio(slower, faster)
        assert ratio is not None and ratio.low is not None and ratio.high is not None
        hits += ratio.low <= truth <= ratio.high
    # 95 % is promised; three standard errors of 600 races are 2.7 %.
    assert 0.923 <= hits / races <= 0.98


def test_a_race_against_itself_is_a_tie() -> None:
    rng = random.Random(7)
    verdicts = []
    for _ in range(200):
        mood = [rng.gauss(0, 0.2) for _ in range(6)]
        verdicts.append(tied(two_level(rng, 6, 1.0, mood), two_level(rng, 6, 1.0, mood)))
    assert sum(verdicts) >= 180
    assert tied({0: 1.0, 1: 1.1, 2: 0.9}, {0: 1.0, 1: 1.1, 2: 0.9})


def test_what_slows_a_round_slows_both() -> None:
    mood = [0.5, 1.0, 3.0, 2.0]
    ratio = paired_ratio({r: 2.0 * m for r, m in enumerate(mood)}, dict(enumerate(mood)))
    assert ratio is not None
    assert close(ratio.low, 2.0) and close(ratio.high, 2.0)


def test_only_shared_rounds_are_compared() -> None:
    ratio = paired_ratio({1: 2.0, 2: 4.0, 9: 100.0}, {1: 1.0, 2: 2.0, 7: 0.001})
    assert ratio is not None and ratio.samples == 2 and close(ratio.value, 2.0)
    assert paired_ratio({1: 1.0}, {2: 1.0}) is None


def spread(centre: float, width: float) -> dict[int, float]:
    return {r: centre * (1 + width * d) for r, d in enumerate((-1.0, 0.4, -0.2, 1.0, -0.3))}


def test_a_difference_below_the_noise_floor_is_a_tie() -> None:
    slower, faster = spread(1.03, 0.0), spread(1.0, 0.0)
    assert not tied(slower, faster)
    assert tied(slower, faster, floor=0.05)


def test_ties_share_the_rank_of_their_leader() -> None:
    noisy = dict(enumerate((1.00, 1.09, 0.99, 1.12, 0.98)))
    standings = ranking({"c": spread(2.0, 0.0), "a": spread(1.0, 0.0), "b": noisy})
    assert [(s.name, s.rank) for s in standings] == [("a", 1), ("b", 1), ("c", 3)]
    assert standings[0].ratio is not None and standings[0].ratio.value == 1.0


def test_a_chain_of_ties_is_cut_at_the_leader() -> None:
    """a~b and b~c but not a~c: c leads the next group."""
    values = {"a": spread(1.0, 0), "b": spread(1.04, 0), "c": spread(1.08, 0)}
    assert [s.rank for s in ranking(values, floor=0.05)] == [1, 1, 3]


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(times, min_size=4, max_size=4)))
def test_a_ranking_is_ordered_and_independent_of_naming_order(
    values: dict[str, list[float]],
) -> None:
    contestants = {name: dict(enumerate(v)) for name, v in values.items()}
    standings = ranking(contestants)
    assert standings == ranking(dict(reversed(contestants.items())))
    ranks = [s.rank for s in standings]
    assert ranks == sorted(ranks)
    assert all(rank == 1 or ranks.index(rank) == rank - 1 for rank in ranks)
    assert [s.step.value for s in standings] == sorted(s.step.value for s in standings)


def test_with_two_rounds_only_a_large_difference_counts() -> None:
    assert tied({1: 1.1, 2: 1.2}, {1: 1.0, 2: 1.0})
    assert tied({1: 9.0, 2: 1.2}, {1: 1.0, 2: 1.0})
    assert not tied({1: 2.0, 2: 2.5}, {1: 1.0, 2: 1.0})


def test_the_widest_interval_is_unknown_until_everyone_has_one() -> None:
    assert widest_interval({}) is None
    assert widest_interval({"a": spread(1, 0.1), "b": {0: 2.0, 1: 2.0}}) is None
    lone = widest_interval({"a": spread(1, 0.1)})
    assert lone is not None and lone > 0
    assert widest_interval({"a": spread(1, 0.1), "b": spread(2, 0.1)}) == pytest.approx(0, abs=1e-9)


def test_one_disturbed_block_does_not_count() -> None:
    blocks = [Block(10, wall, wall, 0, 0, 0, 0) for wall in (1.0, 1.1, 30.0)]
    assert trial_value(blocks) == pytest.approx(0.11)


def test_the_noise_floor_grows_with_the_noise() -> None:
    calm = noise_floor(spread(1.0, 0.0), spread(1.0, 0.0))
    assert calm == 0.0
    assert noise_floor(spread(1.0, 0.1), spread(1.0, 0.0)) > 0.02
    assert noise_floor({1: 1.05}, {1: 1.0}) == pytest.approx(0.05)
