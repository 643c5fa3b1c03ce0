"""Figures over seeds: means and intervals, best epochs, time to a target, time left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.analysis.curves import best_epoch, curve, figures, mean, time_to
from tensorstone.race.forecast import Forecast
from tensorstone.results.trial import Epoch


def run(metrics: list[float], train_s: float = 2.0) -> list[Epoch]:
    return [
        Epoch(number, 10, 1 / number, metric, train_s, 0.1, 0.2)
        for number, metric in enumerate(metrics, start=1)
    ]


def test_a_curve_is_metric_against_time() -> None:
    points = curve([run([0.5, 0.8]), run([0.7, 0.9], train_s=4.0), run([0.6, 1.0])])
    assert [point.epoch for point in points] == [1, 2]
    assert points[0].metric.value == pytest.approx(0.6)
    # 95 %: mean ± 4.303 · 0.1 / √3, Student's for two degrees of freedom.
    assert points[0].metric.high == pytest.approx(0.6 + 4.3027 * 0.1 / 3**0.5, rel=1e-4)
    assert points[1].train_s.value == pytest.approx(2 * points[0].train_s.value)
    assert {points[1].loss.n, points[1].train_s.n} == {3}


def test_two_seeds_have_no_interval() -> None:
    assert (mean([1.0, 3.0]).value, mean([1.0, 3.0]).low) == (2.0, None)


def test_figures() -> None:
    found = figures([run([0.5, 0.9, 0.8])], "accuracy", batch=16)
    assert found["final_metric"].value == 0.8
    assert found["best_epoch"].value == 2
    assert found["train_s"].value == pytest.approx(6.0)
    assert found["train_samples_per_s"].value == pytest.approx(16 * 30 / 6)


@pytest.mark.parametrize(
    ("metric", "expected"), [("r2", 2), ("accuracy", 2), ("mse", 1), ("mae", 1)]
)
def test_the_best_is_the_largest_or_the_smallest(metric: str, expected: int) -> None:
    assert best_epoch(run([0.1, 0.4, 0.3]), metric) == expected


def test_time_to_a_target() -> None:
    points = curve([run([0.5, 0.8, 0.9])])
    reached = time_to(points, "accuracy", 0.75)
    assert reached is not None and reached.value == pytest.approx(4.0)
    assert time_to(points, "accuracy", 0.95) is None
    errors = time_to(curve([run([3.0, 2.0])]), "mse", 2.5)
    assert errors is not None and errors.value == pytest.approx(4.0)


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=5))
def test_the_forecast_runs_out_with_the_work(seconds: list[float]) -> None:
    forecast = Forecast({"a": len(seconds), "b": 2})
    assert forecast.left_s == 0  # nothing is known yet
    for spent in seconds:
        forecast.spent("a", spent)
    average = sum(seconds) / len(seconds)
    assert forecast.left_s == pytest.approx(2 * average)
    forecast.drop("b")
    assert forecast.left_s == 0
