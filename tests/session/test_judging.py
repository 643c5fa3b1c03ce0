"""Metrics: float64, the arguments the right way round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.models import SGD, Data, Dense, Model, Recipe, Workload
from tensorstone.runtime.failure import Failure
from tensorstone.session.judging import judge, resolution


def workload(loss: str, metric: str, outputs: int = 1) -> Workload:
    return Workload(
        name="judged",
        title="Judged",
        model=Model("Judged", (2,), [Dense(outputs)]),
        recipe=Recipe(loss, SGD(0.1), batch=2, epochs=1, metric=metric),  # type: ignore[arg-type]
        data=Data("points", samples=8),
    )


SQUARED = workload("mean-squared", "r2")


def metric(name: str, targets: list[float], outputs: list[float]) -> float:
    judged = replace(SQUARED, recipe=replace(SQUARED.recipe, metric=name))
    column = np.array(targets, np.float32)[:, None]
    return judge(judged, column, np.array(outputs, np.float32)[:, None], "logits")


def test_by_hand() -> None:
    targets, outputs = [1.0, 2.0, 3.0, 6.0], [1.0, 2.0, 4.0, 4.0]
    # Errors 0, 0, 1, 2: squares 5. The targets' mean is 3, their squares about it 4 + 1 + 0 + 9.
    assert metric("mse", targets, outputs) == 5 / 4
    assert metric("mae", targets, outputs) == 3 / 4
    assert metric("r2", targets, outputs) == pytest.approx(1 - 5 / 14, abs=1e-15)
    # The wrong way round: the outputs' squares about their mean are 6.75.
    assert metric("r2", outputs, targets) == pytest.approx(1 - 5 / 6.75, abs=1e-15)


def test_r2_of_a_linear_fit_is_its_squared_correlation() -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=200)
    y = 3 * x + generator.normal(size=200)
    slope, intercept = np.polyfit(x, y, 1)
    fitted = slope * x + intercept
    expected = np.corrcoef(x, y)[0, 1] ** 2
    # float32 samples, so float32 agreement.
    assert metric("r2", list(y), list(fitted)) == pytest.approx(expected, rel=1e-6)


def test_r2_of_always_the_mean_is_nothing_and_of_worse_negative() -> None:
    assert metric("r2", [1.0, 3.0], [2.0, 2.0]) == 0
    assert metric("r2", [1.0, 3.0], [3.0, 1.0]) == -3


def test_sums_are_in_float64() -> None:
    """In float32 the mean of these squares would be off in the fourth digit."""
    targets = [10_000.0 + i % 2 for i in range(4000)]
    assert metric("r2", targets, targets) == 1.0
    assert metric("mse", targets, [t + 0.5 for t in targets]) == 0.25


@given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.integers(0, 2**16))
def test_accuracy_is_the_share_of_hits(labels: list[int], seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(len(labels), 3)).astype(np.float32)
    hits = sum(int(row.argmax() == label) for row, label in zip(scores, labels, strict=True))
    classes = workload("softmax-cross-entropy", "accuracy", outputs=3)
    assert judge(classes, np.array(labels), scores, "logits") == hits / len(labels)


@pytest.mark.parametrize(("kind", "expected"), [("logits", 0.75), ("probabilities", 0.5)])
def test_a_yes_is_above_zero_or_above_a_half(kind: str, expected: float) -> None:
    yes_or_no = workload("binary-cross-entropy", "accuracy")
    targets = np.array([[1.0], [1.0], [0.0], [0.0]], np.float32)
    outputs = np.array([[0.4], [0.2], [-0.3], [0.4]], np.float32)
    assert judge(yes_or_no, targets, outputs, kind) == expected  # type: ignore[arg-type]


def test_predictions_of_another_shape_are_the_program_s_failure() -> None:
    """(4,) against (4, 1) would silently broadcast to sixteen differences; (4,) is reshaped."""
    targets = np.arange(4.0)[:, None]
    assert judge(SQUARED, targets, np.arange(4.0), "logits") == 1
    with pytest.raises(Failure, match="shape"):
        judge(SQUARED, targets, np.zeros((4, 4)), "logits")


def test_what_float32_can_tell_follows_the_metric_s_scale() -> None:
    targets = np.array([[3.0], [-5.0]])
    rounding = 2.0**-23
    assert resolution("r2", targets) == resolution("accuracy", targets) == rounding
    assert resolution("mse", targets) == pytest.approx(17 * rounding)
    assert resolution("mae", targets) == pytest.approx(17**0.5 * rounding)
