"""Figures of feeding and deployment, from trials that are only values."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tensorstone.analysis.summary import metrics, percentile
from tensorstone.results.trial import Block, Deployment, Feeding, Trial


def deployed(round: int, latency_s: tuple[float, ...]) -> Trial:
    block = Block(10, 1.0, 1.0, 0, 0, 0, 0)
    feeding = Feeding("", 20, (0.5, 0.2, 0.1), 20, (0.02,))
    deployment = Deployment(predict_s=(0.5, 0.25), latency_s=latency_s)
    return Trial("a", round, 0, blocks=(block,), feeding=feeding, deployment=deployment)


def test_figures_by_hand() -> None:
    found = metrics([deployed(1, (1.0,) * 99 + (7.0,)), deployed(2, (3.0,) * 300)], batch=8)
    assert found["predict_latency_s"].value == 3.0  # of all calls together
    assert found["predict_latency_p99_s"].n == 400
    assert found["predict_latency_s"].low is None, "two processes have no interval"
    assert found["predict_throughput"].value == pytest.approx(8 / 0.375)
    assert found["feed_samples_per_s"].value == pytest.approx(8 * 20 / 0.2)
    assert found["slice_samples_per_s"].value == pytest.approx(8 * 20 / 0.02)
    assert found["feed_share"].value == pytest.approx((0.2 / 20) / (1.0 / 10))


CALLS = st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=20)


@given(st.lists(CALLS, min_size=3, max_size=5))
@example([[1.9], [1.9], [1.9]])
def test_percentiles_are_ordered_inside_their_intervals(processes: list[list[float]]) -> None:
    found = [percentile(processes, share) for share in (0.5, 0.95, 0.99)]
    values = [metric.value for metric in found if metric]
    assert values == sorted(values) and len(values) == 3
    for metric in found:
        assert metric is not None and metric.low is not None and metric.high is not None
        assert metric.low <= metric.value <= metric.high
        assert metric.n == sum(map(len, processes))
