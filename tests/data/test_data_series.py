"""The hourly series: lags in order, gaps filled from the past, no look at the future."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads_for import workload

from tensorstone.data.prepared.series import BEGIN, prepare, windows
from tensorstone.models import Data, Workload
from tensorstone.support.errors import StoneError

HOURS = st.lists(st.floats(0, 500) | st.just(float("nan")), min_size=8, max_size=60)


def table(hours: np.ndarray) -> dict[str, np.ndarray]:
    """A table whose third row is where the stretch begins."""
    when = np.zeros((len(hours) + 2, 4), np.int64)
    when[2] = BEGIN
    return {"when": when, "pm25": np.concatenate([[np.nan, 7.0], hours])}


def series(inputs: tuple[int, ...], samples: int) -> Workload:
    return workload(Data("beijing-pm25", samples), inputs, 1, "mean-squared")


@given(HOURS, st.integers(1, 5))
def test_an_input_sees_nothing_of_its_hour_nor_later(hours: list[float], lags: int) -> None:
    measured = np.array([1.0, *hours])
    x, y, filled = windows(measured, lags)
    targets = [hour for hour in range(lags, len(measured)) if not filled[hour]]
    assert y.tolist() == measured[targets].tolist()
    assert not np.isnan(x).any()
    for row, hour in zip(x, targets, strict=True):
        changed = measured.copy()
        changed[hour:] = -1.0
        last = windows(changed, lags)[0][hour - lags - int(filled[lags:hour].sum())]
        assert np.array_equal(row, last)


def test_lags_are_oldest_first_and_gaps_keep_the_last_value() -> None:
    x, y, _ = windows(np.array([1.0, 2, np.nan, 4, 5]), 2)
    assert x.tolist() == [[2, 2], [2, 4]]  # nothing has the missing hour for a target
    assert y.tolist() == [4, 5]


@pytest.mark.parametrize("inputs", [(1, 4), (4, 1), (4,)])
def test_the_earlier_hours_train_and_the_later_judge(inputs: tuple[int, ...]) -> None:
    real = prepare(series(inputs, 9), table(np.arange(40.0)))
    assert real.train.x.shape == (9, *inputs)
    assert (real.test.x.shape, real.test.y.shape) == ((3, *inputs), (3, 1))
    assert real.train.y.dtype == real.train.x.dtype == np.float32
    # In the hours' own units: targets 4…12 train, 13…15 judge.
    mean, deviation = np.arange(4, 13).mean(), np.arange(4, 13).std()
    assert np.allclose(real.train.y[:, 0] * deviation + mean, np.arange(4, 13), atol=1e-5)
    assert np.allclose(real.test.y[:, 0] * deviation + mean, [13, 14, 15], atol=1e-5)
    assert np.allclose(real.test.x.reshape(3, 4)[:, -1] * deviation + mean, [12, 13, 14], atol=1e-5)
    assert "no gaps" in real.note


def test_standardising_does_not_look_at_what_is_judged_on() -> None:
    hours = np.random.default_rng(0).normal(100, 30, 40)
    later = hours.copy()
    later[4 + 9 :] += 1000
    one, other = (prepare(series((1, 4), 9), table(h)) for h in (hours, later))
    assert np.array_equal(one.train.x, other.train.x)
    assert np.array_equal(one.train.y, other.train.y)


def test_filled_hours_are_counted_in_the_note() -> None:
    hours = np.arange(40.0)
    hours[[2, 6, 39]] = np.nan  # the last is outside the stretch
    real = prepare(series((1, 4), 9), table(hours))
    assert "2 missing hours filled with the last one measured" in real.note


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (series((2, 2), 9), "(2, 2)"),
        (series((1, 4), 90), "3 to 27 with 4 lags"),
        (series((1, 4), 2), "3 to 27 with 4 lags"),
    ],
)
def test_a_workload_that_does_not_fit_is_a_mistake(made: Workload, said: str) -> None:
    with pytest.raises(StoneError) as caught:
        prepare(made, table(np.arange(40.0)))
    assert said in caught.value.message
