"""Batch normalisation, in training and in prediction, and its running statistics."""

from __future__ import annotations

import numpy as np
import pytest
from layer_cases import DOUBLE, SINGLE, TOLERANCES, Change, made, said, with_layer, with_weights
from parametrised import shown

from tensorstone.models import BatchNorm
from tensorstone.proof.measuring.layer import LayerEvidence
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.statistics import describe_statistics

MAPS, WIDE = (5, 4, 4), (8,)
NORM = BatchNorm(epsilon=1e-3)


def _normal(ddof: int = 0, epsilon: float = 1e-3, outside: bool = False) -> Change:
    def change(e: LayerEvidence) -> np.ndarray:
        axes = (0, *range(2, e.x.ndim))
        shape = [1, -1] + [1] * (e.x.ndim - 2)
        v = e.x.var(axes, keepdims=True, ddof=ddof)
        root = np.sqrt(v) + epsilon if outside else np.sqrt(v + epsilon)
        normal = (e.x - e.x.mean(axes, keepdims=True)) / root
        return normal * e.weights["gamma"].reshape(shape) + e.weights["beta"].reshape(shape)

    return change


TRAINING: list[tuple[Change, str, str | None]] = [
    (_normal(1), "divides by the unbiased deviation", "batchnorm-unbiased-variance"),
    (_normal(epsilon=0.1), "has epsilon 0.1, not 0.001", "batchnorm-epsilon"),
    (with_layer(epsilon=0.05), "has epsilon 0.05, not 0.001", "batchnorm-epsilon"),
    (_normal(outside=True), "has its epsilon 0.001 outside the root", None),
    (with_weights(gamma=np.ones_like), "leaves gamma out", None),
    (with_weights(beta=np.zeros_like), "leaves beta out", None),
]
PREDICTION: list[tuple[Change, str, str | None]] = [
    (
        _normal(),
        "normalises with the batch's own statistics",
        "batch-statistics-in-prediction",
    ),
    (with_layer(epsilon=0.1), "has epsilon 0.1, not 0.001", "batchnorm-epsilon"),
]


@pytest.mark.parametrize("shape", (MAPS, WIDE))
@pytest.mark.parametrize("training", (False, True))
@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_said_of_right_values(
    shape: tuple[int, ...], training: bool, tolerance: float, seed: int
) -> None:
    given = made(NORM, shape, tolerance, seed, batch=16, training=training)
    assert said(given, lambda e: e.expected) is None


@pytest.mark.parametrize("shape", (MAPS, WIDE))
@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(
    ("training", "change", "text", "name"),
    [*((True, *one) for one in TRAINING), *((False, *one) for one in PREDICTION)],
    ids=shown,
)
def test_what_it_computes_instead(
    shape: tuple[int, ...],
    tolerance: float,
    training: bool,
    change: Change,
    text: str,
    name: str | None,
) -> None:
    given = made(NORM, shape, tolerance, batch=16, training=training)
    assert said(given, change) == (text, name)


COUNT = 16


def _moved(tolerance: float, seed: int, unbiased: bool = False, **given: object) -> Sentence | None:
    """What is said of statistics that keep `kept` of what they were."""
    draw = np.random.default_rng(seed)
    mean, var, new, square = (draw.normal(size=7) for _ in range(4))
    var, square = np.abs(var) + 0.5, np.abs(square) + 0.5
    kept = float(given.get("kept", 0.9))  # type: ignore[arg-type]
    share = float(given.get("share", 1 - kept))  # type: ignore[arg-type]
    grown = COUNT / (COUNT - 1) if given.get("grown", unbiased) else 1.0
    noise = 1e-13 if tolerance == DOUBLE else 1e-7
    found_mean = (kept * mean + share * new) * (1 + noise * draw.normal(size=7))
    found_var = (kept * var + share * grown * square) * (1 + noise * draw.normal(size=7))
    return describe_statistics(
        mean, var, new, square, COUNT, 0.9, found_mean, found_var, tolerance, unbiased
    )


@pytest.mark.parametrize("unbiased", (False, True))
@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(20))
def test_statistics_that_move_rightly(tolerance: float, seed: int, unbiased: bool) -> None:
    assert _moved(tolerance, seed, unbiased) is None


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("given", "text", "name"),
    [
        ({"kept": 0.8}, "keeps 0.8 of its running statistics", "batchnorm-momentum"),
        ({"kept": 0.99}, "keeps 0.99 of its running statistics", "batchnorm-momentum"),
        (
            {"kept": 0.1},
            "keeps 0.1 of its running statistics, not 0.9: momentum means its opposite",
            "batchnorm-momentum",
        ),
        ({"kept": 1.0}, "does not move its running statistics", "batchnorm-momentum"),
        ({"kept": 0.81}, "moves its running statistics twice a step", None),
        ({"kept": 0.0}, "takes the batch's statistics for its running ones", None),
        ({"grown": True}, "collects the batch's unbiased variance", "batchnorm-unbiased-variance"),
    ],
)
def test_statistics_that_move_otherwise(
    tolerance: float, seed: int, given: dict[str, object], text: str, name: str | None
) -> None:
    found = _moved(tolerance, seed, **given)
    assert found is not None
    assert (found.says, found.name) == (text, name)


@pytest.mark.parametrize("seed", range(5))
def test_statistics_that_move_by_chance(seed: int) -> None:
    draw = np.random.default_rng(seed)
    arrays = [np.abs(draw.normal(size=7)) for _ in range(6)]
    mean, var, new, square, one, other = arrays
    for tolerance in (DOUBLE, SINGLE):
        found = describe_statistics(mean, var, new, square, COUNT, 0.9, one, other, tolerance)
        assert found is None
