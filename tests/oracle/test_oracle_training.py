"""Optimisers against sequences worked out by hand, and how training goes through its batches."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from tensorstone.models import SGD, Adam, BatchNorm, Dense, Model, Momentum, RMSprop
from tensorstone.oracle import Case, gradients, train
from tensorstone.oracle.optimisers import Updates

GRAPH = Model("Line", (1,), [Dense(1, bias=False)]).graph
WEIGHT = "fc1.weight"
GIVEN = (2.0, -1.0, 0.5)  # the gradients of three updates


def after_three(optimiser, quirks=(), conventions=()) -> list[float]:
    """A weight that starts at 1, after each of three updates."""
    case = Case(GRAPH, "half-squared", optimiser, 1, frozenset(conventions), frozenset(quirks))
    updates, weights, seen = Updates(case), {WEIGHT: np.array([[1.0]])}, []
    for g in GIVEN:
        weights = updates.apply(weights, {WEIGHT: np.array([[g]])})
        seen.append(float(weights[WEIGHT][0, 0]))
    return seen


# Each expected value is written out as the formula unrolled, so that it can be followed by eye.
BY_HAND = {
    "sgd": (SGD(0.1), (), (), [0.8, 0.9, 0.85]),
    # v: 2, 0, 0.5
    "momentum": (Momentum(0.1, 0.5), (), (), [0.8, 0.8, 0.75]),
    # g + 0.5 v: 3, -1, 0.75
    "nesterov": (Momentum(0.1, 0.5, True), (), (), [0.7, 0.8, 0.725]),
    # v: 1, 0, 0.25
    "unit-gain": (Momentum(0.1, 0.5), ("unit-gain-momentum",), (), [0.9, 0.9, 0.875]),
    # m: 1, 0, 0.25; v: 1, 1, 0.8125; corrections 1/2 and 1/4, 3/4 and 7/16, 7/8 and 37/64
    "adam": (
        Adam(0.1, 0.5, 0.75, 0.5),
        (),
        (),
        np.cumsum(
            [
                1 - 0.1 * 2 / (2 + 0.5),
                0,
                -0.1 * (0.25 / (7 / 8)) / (sqrt(0.8125 / (37 / 64)) + 0.5),
            ]
        ),
    ),
    "adam, epsilon before correction": (
        Adam(0.1, 0.5, 0.75, 0.5),
        (),
        ("adam-epsilon-before-correction",),
        np.cumsum(
            [
                1 - 0.1 * sqrt(1 / 4) / (1 / 2) * 1 / (1 + 0.5),
                0,
                -0.1 * sqrt(37 / 64) / (7 / 8) * 0.25 / (sqrt(0.8125) + 0.5),
            ]
        ),
    ),
    "adam, epsilon inside": (
        Adam(0.1, 0.5, 0.75, 0.5),
        ("epsilon-inside-root",),
        (),
        np.cumsum(
            [
                1 - 0.1 * 2 / sqrt(4 + 0.5),
                0,
                -0.1 * (0.25 / (7 / 8)) / sqrt(0.8125 / (37 / 64) + 0.5),
            ]
        ),
    ),
    "adam, no correction": (
        Adam(0.1, 0.5, 0.75, 0.5),
        ("no-bias-correction",),
        (),
        np.cumsum([1 - 0.1 * 1 / (1 + 0.5), 0, -0.1 * 0.25 / (sqrt(0.8125) + 0.5)]),
    ),
    # a: 3, 1.5, 0.5625; rates 0.1, 0.1/1.5, 0.05
    "rmsprop": (
        RMSprop(0.1, 0.25, 0.5, 0.5),
        (),
        (),
        np.cumsum(
            [
                1 - 0.1 * 2 / (sqrt(3) + 0.5),
                0.1 / 1.5 * 1 / (sqrt(1.5) + 0.5),
                -0.05 * 0.5 / (sqrt(0.5625) + 0.5),
            ]
        ),
    ),
    "rmsprop, epsilon inside": (
        RMSprop(0.1, 0.25, 0.5, 0.0),
        ("epsilon-inside-root",),
        (),
        np.cumsum(
            [
                1 - 0.1 * 2 / sqrt(3 + 0.5),
                0.1 * 1 / sqrt(1.5 + 0.5),
                -0.1 * 0.5 / sqrt(0.5625 + 0.5),
            ]
        ),
    ),
    # w: 1 − 0.1(2 + 1e-4), then each time 1e-4 of what is there
    "weight decay": (
        SGD(0.1),
        ("weight-decay",),
        (),
        [0.79999, 0.79999 * (1 - 1e-5) + 0.1, (0.79999 * (1 - 1e-5) + 0.1) * (1 - 1e-5) - 0.05],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_three_updates_by_hand(name):
    optimiser, quirks, conventions, expected = BY_HAND[name]
    np.testing.assert_allclose(after_three(optimiser, quirks, conventions), expected, rtol=1e-12)


def line(batch: int, *quirks: str, rate: float = 0.1) -> Case:
    return Case(GRAPH, "half-squared", SGD(rate), batch, quirks=frozenset(quirks))


X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
Y = 3 * X
START = {WEIGHT: np.array([[0.0]])}


def test_training_by_hand_drops_the_remainder():
    trace = train(line(2, rate=0.01), START, X, Y)
    # Loss ½·mean((w−3)²x²): mean x² is 2.5, then 12.5.
    assert trace.losses == pytest.approx([0.5 * 9 * 2.5, 0.5 * (3 - 0.075) ** 2 * 12.5])
    first = 0.01 * 3 * 2.5
    assert trace.weights[WEIGHT][0, 0] == pytest.approx(first + 0.01 * (3 - first) * 12.5)
    np.testing.assert_array_equal(START[WEIGHT], [[0.0]])  # what was given is left alone
    dropped = train(line(2, rate=0.01), START, X[:4], Y[:4])
    assert dropped.losses == trace.losses


def test_gradients_are_kept_when_asked():
    trace = train(line(2), START, X, Y, keep_gradients=True)
    assert train(line(2), START, X, Y).gradients is None
    assert len(trace.gradients) == 2
    np.testing.assert_array_equal(
        trace.gradients[0][WEIGHT], gradients(line(2), START, X[:2], Y[:2])[1][WEIGHT]
    )


@pytest.mark.parametrize(
    "quirk, order",
    [
        ("reversed-batches", [[2, 3], [0, 1]]),
        ("remainder-kept", [[0, 1], [2, 3], [4]]),
        ("remainder-padded", [[0, 1], [2, 3], [4, 0]]),
    ],
)
def test_other_ways_through_the_batches(quirk, order):
    trace = train(line(2, quirk), START, X, Y)
    expected, weights = [], START
    for rows in order:
        part = train(line(len(rows)), weights, X[rows], Y[rows])
        expected += part.losses
        weights = part.weights
    assert trace.losses == expected
    assert trace.losses != train(line(2), START, X, Y).losses


def test_shuffled_batches_are_the_same_samples_in_another_order():
    still = line(1, rate=1e-300)
    plain = train(still, START, X, Y).losses
    shuffled = train(replace(still, quirks=frozenset({"shuffled-batches"})), START, X, Y).losses
    assert shuffled != plain
    assert sorted(shuffled) == sorted(plain)


def test_sum_over_batch_is_a_larger_rate():
    summed = train(line(2, "sum-over-batch"), START, X, Y)
    plain = train(line(2, rate=0.2), START, X, Y)
    np.testing.assert_allclose(summed.weights[WEIGHT], plain.weights[WEIGHT])
    np.testing.assert_allclose(summed.losses, 2 * np.array(plain.losses))


def test_training_is_the_same_every_time():
    rng = np.random.default_rng(0)
    graph = Model("Deep", (4,), [Dense(5), BatchNorm(), Dense(2)]).graph
    weights = {w.name: rng.uniform(0.5, 1, w.shape) for w in graph.weights}
    case = Case(graph, "mean-squared", Adam(), 3)
    x, y = rng.normal(size=(9, 4)), rng.normal(size=(9, 2))
    once, again = (train(case, weights, x, y) for _ in range(2))
    assert once.losses == again.losses
    assert list(once.weights) == list(weights)
    for name in weights:
        np.testing.assert_array_equal(once.weights[name], again.weights[name])


def test_divergence_is_a_result_without_warnings(recwarn):
    trace = train(line(1, rate=1e200), START, X, Y)
    assert not np.isfinite(trace.losses[-1])
    assert not recwarn.list
