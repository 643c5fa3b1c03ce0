"""Losses of another kind, told by the last layer's gradients and the loss itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from gradient_cases import BATCH, TOLERANCES, evidence, of_slope

from tensorstone.models.recipe import Loss
from tensorstone.proof.measuring.gradients import GradientEvidence, describe_gradients
from tensorstone.proof.measuring.sentence import Sentence

pytestmark = pytest.mark.parametrize("tolerance", TOLERANCES)

Value = Callable[[np.ndarray, np.ndarray], float]  # of outputs and targets
CLASSES, BITS = "softmax-cross-entropy", "binary-cross-entropy"


def _softmax(z: np.ndarray) -> np.ndarray:
    e = np.exp(z)
    found: np.ndarray = e / e.sum(axis=1, keepdims=True)
    return found


def _sigmoid(z: np.ndarray) -> np.ndarray:
    found: np.ndarray = 1 / (1 + np.exp(-z))
    return found


def _own(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.eye(z.shape[1])[y]


def _entropy(p: np.ndarray, targets: np.ndarray) -> float:
    return float(-(targets * np.log(p)).sum() / len(p))


def _bits(p: np.ndarray, y: np.ndarray) -> float:
    return float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())


def _huber(d: np.ndarray, delta: float) -> np.ndarray:
    size = np.abs(d)
    found: np.ndarray = np.where(size < delta, d * d / 2, delta * (size - delta / 2))
    return found


def _slope(value: Value, z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """By finite differences of fourth order, so that no formula is written twice."""
    found = np.zeros_like(z)
    h = 1e-3
    for place in np.ndindex(z.shape):

        def at(step: float, place: tuple[int, ...] = place) -> float:
            moved = z.copy()
            moved[place] += step
            return value(moved, y)

        wide = (at(2 * h) - at(-2 * h)) / (4 * h)
        near = (at(h) - at(-h)) / (2 * h)
        close = (at(h / 2) - at(-h / 2)) / h
        first, second = (4 * near - wide) / 3, (4 * close - near) / 3
        found[place] = (16 * second - first) / 15
    return found


def _smoothed(epsilon: float) -> Value:
    def value(z: np.ndarray, y: np.ndarray) -> float:
        return _entropy(_softmax(z), (1 - epsilon) * _own(z, y) + epsilon / z.shape[1])

    return value


def _focal(gamma: float) -> Value:
    def value(z: np.ndarray, y: np.ndarray) -> float:
        p = (_softmax(z) * _own(z, y)).sum(axis=1)
        return float(-((1 - p) ** gamma * np.log(p)).mean())

    return value


def _weighted(weights: dict[int, float], by_sum: bool) -> Value:
    def value(z: np.ndarray, y: np.ndarray) -> float:
        w = np.array([weights.get(int(label), 1.0) for label in y])
        logs = np.log((_softmax(z) * _own(z, y)).sum(axis=1))
        return float(-(w * logs).sum() / (w.sum() if by_sum else len(y)))

    return value


def _positives(weight: float) -> Value:
    def value(z: np.ndarray, y: np.ndarray) -> float:
        p = _sigmoid(z)
        return float(-(weight * y * np.log(p) + (1 - y) * np.log(1 - p)).mean())

    return value


def _margins(z: np.ndarray, y: np.ndarray) -> float:
    own = _own(z, y)
    gaps = 1 + z - (z * own).sum(axis=1, keepdims=True)
    return float((np.maximum(0, gaps) * (1 - own)).sum() / len(z))


SMOOTH: list[tuple[Loss, Value, str]] = [
    (CLASSES, _smoothed(0.1), "labels are smoothed by 0.1"),
    (CLASSES, _smoothed(0.03), "labels are smoothed by 0.03"),
    (
        CLASSES,
        lambda z, y: _entropy(_softmax(_softmax(z)), _own(z, y)),
        "softmax is applied before a loss that applies it too",
    ),
    (
        CLASSES,
        lambda z, y: _entropy(_softmax(_sigmoid(z)), _own(z, y)),
        "a sigmoid is applied before the loss's softmax",
    ),
    (
        CLASSES,
        lambda z, y: _entropy(_softmax(0.5 * z), _own(z, y)),
        "logits are scaled by 0.5 before the loss",
    ),
    (
        CLASSES,
        lambda z, y: _entropy(_softmax(7 * z), _own(z, y)),
        "logits are scaled by 7 before the loss",
    ),
    (
        CLASSES,
        lambda z, y: _entropy(_softmax(z), _own(z, (y + 1) % z.shape[1])),
        "labels are shifted by 1",
    ),
    (
        CLASSES,
        lambda z, y: _entropy(_softmax(z), _own(z, 4 - y)),
        "labels are counted from the last class",
    ),
    (CLASSES, _focal(2.0), "the loss is focal, with gamma 2"),
    (CLASSES, _focal(0.5), "the loss is focal, with gamma 0.5"),
    (
        CLASSES,
        lambda z, y: float(np.square(_softmax(z) - _own(z, y)).mean()),
        "the loss is the squared error of softmax, mean over the classes",
    ),
    (
        CLASSES,
        lambda z, y: _bits(_sigmoid(z), _own(z, y)),
        "the loss is the binary cross-entropy of each class, mean over the classes",
    ),
    (
        CLASSES,
        lambda z, y: _bits(_sigmoid(z), _own(z, y)) * z.shape[1],
        "the loss is the binary cross-entropy of each class, sum over the classes",
    ),
    (
        CLASSES,
        lambda z, y: float(-(_own(z, y) * z).sum() / len(z)),
        "the loss takes logits for log-probabilities",
    ),
    (
        CLASSES,
        lambda z, y: float(-(_own(z, y) * _softmax(z)).sum() / len(z)),
        "the loss takes probabilities for log-probabilities",
    ),
    (
        BITS,
        lambda z, y: _bits(_sigmoid(_sigmoid(z)), y),
        "a sigmoid is applied twice: before a loss that applies it too",
    ),
    (BITS, lambda z, y: _bits(_sigmoid(z), 1 - y), "targets 0 and 1 are swapped"),
    (BITS, _positives(3.0), "a target of 1 weighs 3"),
    (
        BITS,
        lambda z, y: _bits(_sigmoid(z), 0.8 * y + 0.1),
        "targets are smoothed by 0.2",
    ),
    (
        BITS,
        lambda z, y: float(np.square(_sigmoid(z) - y).mean()),
        "the loss is the squared error of the sigmoid",
    ),
    ("absolute", lambda z, y: float(np.square(z - y).mean()), "the loss is the squared error"),
    (
        "absolute",
        lambda z, y: float(np.square(z - y).mean() / 2),
        "the loss is half the squared error",
    ),
    (
        "mean-squared",
        lambda z, y: float(np.log(np.cosh(z - y)).mean()),
        "the loss is log cosh of the error",
    ),
    (
        "mean-squared",
        lambda z, y: float(np.square(z - np.roll(y, -1, axis=0)).mean()),
        "each output meets the next sample's target",
    ),
]
KINKED: list[tuple[Loss, Value, str]] = [
    ("mean-squared", lambda z, y: float(np.abs(z - y).mean()), "the loss is the absolute error"),
    (
        "mean-squared",
        lambda z, y: float(_huber(z - y, 0.7).mean()),
        "the loss is Huber's, with delta 0.7",
    ),
    (
        "absolute",
        lambda z, y: float(_huber(z - y, 0.5).mean() / 0.5),
        "the loss is the smooth L1 loss, with beta 0.5",
    ),
    (
        "absolute",
        lambda z, y: float(np.maximum(0.9 * (y - z), 0.1 * (z - y)).mean()),
        "the loss is that of the quantile 0.9",
    ),
    (CLASSES, _margins, "the loss is the hinge loss, sum over the classes"),
]


def _wrong(loss: Loss, value: Value, tolerance: float, features: bool = True) -> GradientEvidence:
    given = evidence(loss, tolerance=tolerance, seed=3, features=features)
    return of_slope(given, value(given.outputs, given.y), _slope(value, given.outputs, given.y))


def _say(given: GradientEvidence) -> str:
    found = describe_gradients(given)
    assert isinstance(found, Sentence)
    assert found.residual <= given.tolerance
    return found.says


@pytest.mark.parametrize(("loss", "value", "says"), [*SMOOTH, *KINKED])
def test_another_loss(tolerance: float, loss: Loss, value: Value, says: str) -> None:
    assert _say(_wrong(loss, value, tolerance)) == says


@pytest.mark.parametrize(("loss", "value", "says"), SMOOTH)
def test_by_its_value_and_the_bias_alone(
    tolerance: float, loss: Loss, value: Value, says: str
) -> None:
    if "sample" in says:
        pytest.skip("the bias's gradient is the same")
    assert _say(_wrong(loss, value, tolerance, features=False)) == says


@pytest.mark.parametrize(("loss", "value", "says"), SMOOTH[:6])
def test_by_its_gradients_alone(tolerance: float, loss: Loss, value: Value, says: str) -> None:
    given = replace(_wrong(loss, value, tolerance), observed_loss=None)
    assert _say(given) == says


@pytest.mark.parametrize(("loss", "value", "says"), SMOOTH)
def test_one_sight_is_not_enough(tolerance: float, loss: Loss, value: Value, says: str) -> None:
    given = _wrong(loss, value, tolerance, features=False)
    assert describe_gradients(replace(given, observed_loss=None)) is None


@pytest.mark.parametrize(("loss", "value", "says"), SMOOTH)
def test_another_slope_than_the_loss_says_is_nothing(
    tolerance: float, loss: Loss, value: Value, says: str
) -> None:
    given = evidence(loss, tolerance=tolerance, seed=3)
    draw = np.random.default_rng(2)
    slope = _slope(value, given.outputs, given.y) * draw.uniform(0.5, 1.5, given.outputs.shape)
    assert describe_gradients(of_slope(given, value(given.outputs, given.y), slope)) is None


def test_softmax_twice_has_its_name(tolerance: float) -> None:
    found = describe_gradients(_wrong(*SMOOTH[2][:2], tolerance))
    assert found is not None
    assert found.name == "softmax-twice"


@pytest.mark.parametrize("by_sum", [True, False])
def test_class_weights(tolerance: float, by_sum: bool) -> None:
    value = _weighted({1: 2.0, 3: 0.25}, by_sum)
    assert _say(_wrong(CLASSES, value, tolerance)) == (
        "the loss weighs class 1 by 2 and class 3 by 0.25, the others by 1"
    )


def test_every_output_against_every_target(tolerance: float) -> None:
    given = evidence("mean-squared", width=1, tolerance=tolerance, seed=3)
    z, y = given.outputs, given.y.reshape(-1)  # (n, 1) and (n) broadcast to (n, n)
    assert (z - y).shape == (BATCH, BATCH)
    loss, slope = float(np.square(z - y).mean()), (2 * (z - y)).sum(axis=1, keepdims=True)
    says = _say(of_slope(given, loss, slope / BATCH**2))
    assert says == "the loss is the squared error of every output against every target of the batch"


def test_the_loss_may_be_reported_otherwise(tolerance: float) -> None:
    """Keras reports what it calls the loss; both gradients say what it is."""
    assert _say(replace(_wrong(CLASSES, _smoothed(0.1), tolerance), observed_loss=9.0)) == (
        "labels are smoothed by 0.1"
    )
