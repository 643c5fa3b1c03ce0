"""One batch's gradients of a small net by the oracle, and the same with something changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tensorstone.models import Conv2D, Dense, Flatten, MaxPool2D, Model, ReLU, Tanh
from tensorstone.models.graph import Graph
from tensorstone.models.recipe import SGD, Loss
from tensorstone.models.structure import Part
from tensorstone.oracle import Case, activations, gradients
from tensorstone.proof.measuring.gradients import GradientEvidence

BATCH = 12
DOUBLE, SINGLE = 1e-9, 1e-4
TOLERANCES = (DOUBLE, SINGLE)


def _graph(loss: Loss, width: int) -> tuple[Graph, tuple[int, ...]]:
    if loss == "softmax-cross-entropy":
        layers: list[Part] = [Conv2D(4, 3), ReLU(), MaxPool2D(2), Flatten(), Dense(10), Tanh()]
        return Model("Net", (2, 8, 8), [*layers, Dense(width)]).graph, (2, 8, 8)
    dense: list[Part] = [Dense(9), Tanh(), Dense(8), Tanh(), Dense(7), Tanh(), Dense(width)]
    return Model("Net", (6,), dense).graph, (6,)


def evidence(
    loss: Loss = "softmax-cross-entropy",
    width: int = 5,
    tolerance: float = DOUBLE,
    seed: int = 0,
    features: bool = True,
) -> GradientEvidence:
    """A right program's evidence, with rounding as large as its precision has."""
    draw = np.random.default_rng(seed)
    graph, inputs = _graph(loss, width)
    case = Case(graph, loss, SGD(0.1), BATCH)
    weights = {w.name: draw.normal(size=w.shape) * 0.5 for w in graph.weights}
    x = draw.normal(size=(BATCH, *inputs))
    y = {
        "softmax-cross-entropy": draw.integers(0, width, BATCH),
        "binary-cross-entropy": draw.integers(0, 2, (BATCH, width)).astype(float),
    }.get(loss, draw.normal(size=(BATCH, width)))
    value, expected, _ = gradients(case, weights, x, y)
    outputs = activations(graph, weights, x, training=True)
    return GradientEvidence(
        weights=weights,
        observed=noisy(expected, tolerance, draw),
        expected=expected,
        order=tuple(expected),
        loss=loss,
        observed_loss=value,
        expected_loss=value,
        outputs=outputs[-1],
        y=y,
        batch=BATCH,
        tolerance=tolerance,
        features=outputs[-2] if features else None,
    )


def noisy(
    arrays: Mapping[str, np.ndarray], tolerance: float, draw: np.random.Generator
) -> dict[str, np.ndarray]:
    """As float64, or as float32 with some units in the last place lost."""
    if tolerance == DOUBLE:
        return {n: a * (1 + 1e-14 * draw.normal(size=a.shape)) for n, a in arrays.items()}
    return {
        n: (a * (1 + 1e-6 * draw.normal(size=a.shape))).astype(np.float32).astype(np.float64)
        for n, a in arrays.items()
    }


def changed(
    given: GradientEvidence,
    change: Callable[[str, np.ndarray], np.ndarray],
    loss: float | None = None,
) -> GradientEvidence:
    """Every gradient as `change` makes it of its name and what it is."""
    observed = {name: change(name, array) for name, array in given.observed.items()}
    return replace(
        given, observed=observed, observed_loss=given.observed_loss if loss is None else loss
    )


def of_slope(
    given: GradientEvidence, loss: float, slope: np.ndarray, report: float | None = None
) -> GradientEvidence:
    """With another slope of the loss: the last layer's as they follow, the others about so."""
    draw = np.random.default_rng(5)
    assert given.features is not None or given.outputs is not None
    *others, weight, bias = given.order
    observed = {
        n: given.observed[n] * (1 + draw.uniform(size=given.observed[n].shape)) for n in others
    }
    last = {bias: slope.sum(axis=0)}
    if given.features is not None:
        last[weight] = slope.T @ given.features
    else:
        last[weight] = given.observed[weight] * draw.uniform(size=given.observed[weight].shape)
    observed |= noisy(last, given.tolerance, draw)
    return replace(given, observed=observed, observed_loss=loss if report is None else report)
