"""A line through batch sizes: found where it is, and doubted where it is not."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.analysis.fit import fit
from tensorstone.results.estimate import Estimate

BATCHES = (8, 32, 128, 512)


def sweep(rng: random.Random, restarts: int, fixed: float, each: float) -> list[dict[int, float]]:
    """Restarts differ by 3 % in all sizes alike, sizes by 2 % more."""
    found = []
    for _ in range(restarts):
        mood = rng.gauss(0, 0.03)
        found.append({b: (fixed + each * b) * math.exp(mood + rng.gauss(0, 0.02)) for b in BATCHES})
    return found


@given(st.floats(1e-6, 1), st.floats(1e-6, 1), st.integers(1, 4))
def test_a_line_is_found_exactly(fixed: float, each: float, restarts: int) -> None:
    found = fit([{b: fixed + each * b for b in BATCHES}] * restarts)
    assert found is not None
    scale = fixed + each * BATCHES[-1]
    assert found.fixed_s.value == pytest.approx(fixed, rel=1e-6, abs=1e-9 * scale)
    assert found.per_sample_s.value == pytest.approx(each, rel=1e-6, abs=1e-9 * scale)
    assert found.worst < 1e-6
    assert (found.fixed_s.low is None) == (restarts < 3)


@pytest.mark.parametrize("restarts", [3, 5, 10])
def test_the_intervals_cover_the_truth(restarts: int) -> None:
    rng, runs, fixed_hits, each_hits = random.Random(restarts), 300, 0, 0
    for _ in range(runs):
        found = fit(sweep(rng, restarts, 2e-3, 1e-4))
        assert found is not None
        fixed_hits += covers(found.fixed_s, 2e-3)
        each_hits += covers(found.per_sample_s, 1e-4)
    # 95 % is promised; three standard errors of 300 runs are 3.8 %.
    assert 0.912 <= fixed_hits / runs <= 0.99
    assert 0.912 <= each_hits / runs <= 0.99


def covers(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None and estimate.high is not None
    return estimate.low <= truth <= estimate.high


@given(st.lists(st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_no_part_is_negative(rows: list[list[float]]) -> None:
    found = fit([dict(zip(BATCHES, row, strict=True)) for row in rows])
    assert found is not None
    for part in (found.fixed_s, found.per_sample_s):
        assert part.value >= 0
        assert part.low is None or 0 <= part.low <= part.value


def test_a_negative_fixed_part_is_zero_and_said() -> None:
    found = fit([{8: 0.8, 16: 1.8, 32: 3.9}] * 3)
    assert found is not None and found.clipped
    assert found.fixed_s.value == 0.0
    assert found.fixed_s.half_width == math.inf
    assert 0.1 < found.per_sample_s.value < 0.122
    assert found.worst > 0.05


def test_a_negative_part_of_a_sample_is_zero_too() -> None:
    found = fit([{8: 1.1, 16: 1.0}])
    assert found is not None and found.clipped
    assert found.per_sample_s.value == 0.0
    assert 1.0 < found.fixed_s.value < 1.1


def test_small_sizes_count_as_much_as_large_ones() -> None:
    """2 % of the large steps are longer than a small step: least squares of seconds would move the
    fixed part by half of itself to suit them."""
    times = {b: 1e-3 + 1e-6 * b for b in (1, 10, 10_000, 100_000)}
    found = fit([times | {10_000: 1.02 * times[10_000], 100_000: 0.98 * times[100_000]}])
    assert found is not None
    assert found.fixed_s.value == pytest.approx(1e-3, rel=0.02)


def test_what_is_not_a_line_says_so() -> None:
    found = fit([{b: 1e-4 * b**2 for b in BATCHES}])
    assert found is not None and found.worst > 0.5


def test_below_two_sizes_there_is_no_line() -> None:
    assert fit([]) is None
    assert fit([{8: 1.0}, {8: 1.1}]) is None
    assert fit([{8: 1.0}, {16: 1.1}]) is None


def test_a_rare_size_costs_no_restarts_and_an_unfinished_restart_no_size() -> None:
    whole = {8: 1.8, 16: 2.6, 32: 4.2}
    found = fit([whole, whole, whole | {64: 99.0}, {8: 50.0}])
    assert found is not None and found.fixed_s.n == 3
    assert found.fixed_s.value == pytest.approx(1.0)
    assert found.per_sample_s.value == pytest.approx(0.1)
