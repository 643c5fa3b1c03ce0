"""What a process did while it ran: seen where it is, not seen in noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator

from tensorstone.analysis.change_points import segments
from tensorstone.analysis.steady_state import course, period, trend

Noise = Callable[[Generator, int], "np.ndarray"]


def white(rng: Generator, n: int) -> np.ndarray:
    return 0.02 * rng.normal(size=n)


def heavy(rng: Generator, n: int) -> np.ndarray:
    """Student's t with two degrees of freedom: it has no variance."""
    return 0.02 * rng.standard_t(2, size=n)


def disturbed(rng: Generator, n: int) -> np.ndarray:
    """One block in twenty 16 % slow, one in a hundred threefold."""
    slow = 0.15 * (rng.random(n) < 0.05) + 1.1 * (rng.random(n) < 0.01)
    return 0.005 * rng.normal(size=n) + slow


def moody(rng: Generator, n: int) -> np.ndarray:
    """Each block resembles the one before."""
    noise = rng.normal(size=n)
    for at in range(1, n):
        noise[at] = 0.3 * noise[at - 1] + 0.954 * noise[at]
    return 0.02 * noise


def seconds(logs: np.ndarray) -> list[float]:
    return [float(value) for value in 0.01 * np.exp(logs)]


def alarms(says: Callable[[list[float]], bool], noise: Noise, n: int, runs: int) -> float:
    rng = np.random.default_rng(n)
    return sum(says(seconds(noise(rng, n))) for _ in range(runs)) / runs


def with_levels(rng: Generator, *pieces: tuple[int, float]) -> list[float]:
    """Pieces of so many blocks at so much above 10 ms, in disturbed noise of 1 %."""
    level = np.concatenate([np.full(n, np.log1p(above)) for n, above in pieces])
    noise = 0.01 * rng.normal(size=len(level))
    noise[rng.random(len(level)) < 0.03] += 0.5
    return seconds(level + noise)


# Three standard errors above 1 % of 400 runs are 2.5 %.


@pytest.mark.parametrize("noise", [white, heavy, disturbed])
@pytest.mark.parametrize("n", [10, 20, 60, 150])
def test_noise_has_one_level(noise: Noise, n: int) -> None:
    assert alarms(lambda times: course(times).kind != "flat", noise, n, 400) <= 0.025


def test_moods_of_the_machine_are_mostly_one_level() -> None:
    assert alarms(lambda times: course(times).kind != "flat", moody, 60, 400) <= 0.05


@pytest.mark.parametrize("noise", [white, heavy, disturbed])
@pytest.mark.parametrize("n", [10, 30, 100])
def test_noise_has_no_trend(noise: Noise, n: int) -> None:
    assert alarms(lambda times: trend(times) is not None, noise, n, 400) <= 0.025


def test_moods_of_the_machine_are_mostly_no_trend() -> None:
    assert alarms(lambda times: trend(times) is not None, moody, 60, 400) <= 0.04


@pytest.mark.parametrize("noise", [white, heavy, disturbed, moody])
@pytest.mark.parametrize(("n", "runs"), [(16, 600), (60, 300), (150, 100)])
def test_noise_has_no_period(noise: Noise, n: int, runs: int) -> None:
    assert alarms(lambda times: period(times) is not None, noise, n, runs) <= 0.01


def test_a_warm_up_ends_at_the_fastest_level() -> None:
    found = course(with_levels(np.random.default_rng(1), (20, 0.2), (10, 0.1), (40, 0.0)))
    assert found.kind == "warm-up"
    assert abs(found.steady_from - 30) <= 1
    assert found.levels == pytest.approx((0.012, 0.011, 0.010), rel=0.01)


def test_a_slow_down_ends_above_the_fastest_level() -> None:
    found = course(with_levels(np.random.default_rng(2), (30, 0.0), (30, 0.1)))
    assert found.kind == "slow-down"
    assert abs(found.steady_from - 30) <= 1


def test_a_last_level_that_is_short_may_not_be_the_last() -> None:
    alternating = [(12, 0.2 * (i % 2)) for i in range(6)]
    found = course(with_levels(np.random.default_rng(3), *alternating))
    assert found.kind == "unsteady"
    assert len(found.levels) == 6


def test_levels_within_one_per_cent_are_one() -> None:
    calm = np.concatenate([np.zeros(50), np.full(50, 0.008)])
    noise = 0.001 * np.random.default_rng(4).normal(size=100)
    assert course(seconds(calm + noise)).kind == "flat"
    assert course(seconds(2 * calm + noise)).kind == "slow-down"


@pytest.mark.parametrize(("before", "n"), [(15, 60), (10, 20)])
def test_steps_of_five_deviations_are_mostly_found(before: int, n: int) -> None:
    rng, found = np.random.default_rng(5), 0
    for _ in range(200):
        logs = 0.02 * rng.normal(size=n)
        logs[:before] += 0.1
        says = course(seconds(logs))
        found += says.kind == "warm-up" and abs(says.steady_from - before) <= 1
    assert found >= 160


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=40), st.floats(1e-3, 1e3))
def test_the_unit_of_time_does_not_matter(times: list[float], factor: float) -> None:
    plain, scaled = course(times), course([factor * value for value in times])
    # Rounding may decide between two equally good cuts, so the cuts themselves are not compared.
    assert len(plain.levels) == 1 or plain.steady_from > 0
    if (plain.kind, plain.steady_from) == (scaled.kind, scaled.steady_from):
        assert scaled.levels == pytest.approx([factor * level for level in plain.levels])


@given(st.lists(st.floats(-3, 3), min_size=8, max_size=60))
def test_the_pieces_cover_the_series_and_none_is_short(logs: list[float]) -> None:
    pieces = segments(np.array(logs))
    starts, ends = zip(*pieces, strict=True)
    assert (starts[0], ends[-1]) == (0, len(logs))
    assert starts[1:] == ends[:-1]
    assert len(pieces) == 1 or min(end - start for start, end in pieces) >= 5


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_few_blocks_say_nothing(blocks: int) -> None:
    times = [2.0**at for at in range(blocks)]
    assert course(times).kind == "flat" and course(times).steady_from == 0
    assert trend(times) is None
    assert period(times) is None


def test_blocks_that_are_all_alike_are_flat() -> None:
    times = [0.01] * 50
    assert course(times).levels == (0.01,)
    assert trend(times) is None
    assert period(times) is None


@pytest.mark.parametrize("per_block", [1e-3, -1e-3])
def test_a_trend_is_found_and_its_size(per_block: float) -> None:
    rng = np.random.default_rng(6)
    logs = per_block * np.arange(100) + 0.01 * rng.normal(size=100)
    logs[rng.random(100) < 0.05] += 1.0
    found = trend(seconds(logs))
    assert found == pytest.approx(np.expm1(100 * per_block), abs=0.02)


@pytest.mark.parametrize(("every", "n"), [(2, 60), (5, 60), (12, 120), (30, 240)])
def test_a_slow_block_that_returns_is_found(every: int, n: int) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        logs = 0.01 * rng.normal(size=n)
        logs[seed % every :: every] += 0.06
        logs[rng.random(n) < 0.02] += 0.2
        assert period(seconds(logs)) == every


def test_a_period_need_not_be_whole() -> None:
    """A collection every 37 steps, in blocks of three."""
    blocks = np.arange(240)
    collected = (blocks * 3) % 37 < 3
    noise = 0.01 * np.random.default_rng(8).normal(size=240)
    assert period(seconds(noise + 0.1 * collected)) == 12


def test_a_return_within_one_per_cent_is_nothing() -> None:
    logs = 0.0005 * np.random.default_rng(9).normal(size=120)
    logs[::12] += 0.005
    assert period(seconds(logs)) is None
    logs[::12] += 0.015
    assert period(seconds(logs)) == 12


@pytest.mark.parametrize("blocks", range(15))
def test_so_few_blocks_have_no_period(blocks: int) -> None:
    """None that could be tried returns often enough: of eight to ten, one of 0 was once found."""
    assert period([1.0 + 0.5 * (block % 2) for block in range(blocks)]) is None
