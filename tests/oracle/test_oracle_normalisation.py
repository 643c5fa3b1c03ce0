"""Batch normalisation and dropout in training and in prediction."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_checks import graph_of, random_weights

from tensorstone.models import SGD, BatchNorm, Dropout
from tensorstone.oracle import Case, forward, gradients, train

RNG = np.random.default_rng(0)
X = RNG.normal(3, 2, size=(4, 2, 3, 3))
GRAPH = graph_of((2, 3, 3), BatchNorm(momentum=0.8, epsilon=0.01))
WEIGHTS = random_weights(GRAPH, RNG)


def statistics(*conventions: str) -> dict:
    case = Case(GRAPH, "half-squared", SGD(0.1), 4, frozenset(conventions))
    return gradients(case, WEIGHTS, X, np.zeros_like(X))[2]


def each(values: np.ndarray) -> np.ndarray:
    return values[:, None, None]


@pytest.mark.parametrize(
    "conventions, ddof",
    [((), 0), (("batchnorm-unbiased-variance",), 1)],
    ids=["biased", "unbiased"],
)
def test_running_statistics_move_towards_the_batch(conventions, ddof):
    moved = statistics(*conventions)
    assert set(moved) == {"bn1.mean", "bn1.variance"}
    np.testing.assert_allclose(
        moved["bn1.mean"], 0.8 * WEIGHTS["bn1.mean"] + 0.2 * X.mean(axis=(0, 2, 3))
    )
    np.testing.assert_allclose(
        moved["bn1.variance"],
        0.8 * WEIGHTS["bn1.variance"] + 0.2 * X.var(axis=(0, 2, 3), ddof=ddof),
    )


def test_the_convention_leaves_losses_alone():
    case = Case(GRAPH, "half-squared", SGD(0.1), 2)
    other = Case(GRAPH, "half-squared", SGD(0.1), 2, frozenset({"batchnorm-unbiased-variance"}))
    y = np.zeros_like(X)
    plain, unbiased = train(case, WEIGHTS, X, y), train(other, WEIGHTS, X, y)
    assert plain.losses == unbiased.losses
    assert not np.allclose(plain.weights["bn1.variance"], unbiased.weights["bn1.variance"])
    np.testing.assert_array_equal(plain.weights["bn1.gamma"], unbiased.weights["bn1.gamma"])


def test_training_uses_the_batch_and_prediction_what_was_kept():
    gamma, beta, mean, variance = (
        each(WEIGHTS[f"bn1.{role}"]) for role in ("gamma", "beta", "mean", "variance")
    )
    own = (X - X.mean((0, 2, 3), keepdims=True)) / np.sqrt(X.var((0, 2, 3), keepdims=True) + 0.01)
    np.testing.assert_allclose(
        forward(GRAPH, WEIGHTS, X, training=True), own * gamma + beta, rtol=1e-12
    )
    kept = (X - mean) / np.sqrt(variance + 0.01)
    np.testing.assert_allclose(forward(GRAPH, WEIGHTS, X), kept * gamma + beta, rtol=1e-12)


def test_normalising_with_the_unbiased_variance():
    graph = graph_of(
        (2, 3, 3), BatchNorm(momentum=0.8, epsilon=0.01), quirks=frozenset({"unbiased-variance"})
    )
    spread = X.var((0, 2, 3), ddof=1, keepdims=True)
    own = (X - X.mean((0, 2, 3), keepdims=True)) / np.sqrt(spread + 0.01)
    expected = own * each(WEIGHTS["bn1.gamma"]) + each(WEIGHTS["bn1.beta"])
    found = forward(graph, WEIGHTS, X, training=True)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_dropout():
    x = np.ones((200, 100))
    graph = graph_of((100,), Dropout(0.3))
    np.testing.assert_array_equal(forward(graph, {}, x), x)
    trained = forward(graph, {}, x, training=True)
    assert set(np.unique(trained)) == {0, 1 / 0.7}
    assert (trained == 0).mean() == pytest.approx(0.3, abs=0.02)
    active = graph_of((100,), Dropout(0.3), quirks=frozenset({"active-in-prediction"}))
    assert (forward(active, {}, x) == 0).mean() == pytest.approx(0.3, abs=0.02)


def test_every_update_draws_its_own_dropout_mask():
    case = Case(graph_of((50,), Dropout(0.5)), "half-squared", SGD(0.1), 1)
    x = np.arange(50.0)[None]
    first, second = (gradients(case, {}, x, 0 * x, step=step)[0] for step in (0, 1))
    assert first != second
