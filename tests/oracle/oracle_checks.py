"""What the oracle's tests share: random weights, and gradients by finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensorstone.models import SGD, Model
from tensorstone.models.graph import Graph
from tensorstone.models.layers import Layer
from tensorstone.oracle import Arrays, Case, forward
from tensorstone.oracle.losses import loss_and_slope
from tensorstone.oracle.run import with_input_gradient

H = 1e-6


def graph_of(shape: tuple[int, ...], *layers, quirks: frozenset[str] = frozenset()) -> Graph:
    """A model's graph; the quirks go to its first node."""
    graph = Model("Probe", shape, list(layers)).graph
    first, *rest = graph.nodes
    return replace(graph, nodes=(replace(first, quirks=quirks), *rest))


def random_weights(graph: Graph, rng: np.random.Generator) -> Arrays:
    """Every array away from zero, variances positive."""
    return {
        weight.name: rng.uniform(0.5, 2.0, weight.shape)
        if weight.role in ("gamma", "variance")
        else rng.normal(size=weight.shape)
        for weight in graph.weights
    }


def distinct(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Values at least 0.05 apart and away from zero: no ties, no kinks."""
    count = int(np.prod(shape))
    values = (rng.permutation(count) - count // 2) * 0.05 + 0.025
    return values.reshape(shape)


def check_layer(
    layer: Layer, shape: tuple[int, ...], seed: int, samples: int = 2, quirks: tuple[str, ...] = ()
) -> None:
    """The gradient of one layer's input and weights, by a loss that weighs outputs at random."""
    rng = np.random.default_rng(seed)
    graph = graph_of(shape, layer, quirks=frozenset(quirks))
    x = distinct(rng, (samples, *shape))
    weights = random_weights(graph, rng)
    y = rng.normal(size=forward(graph, weights, x).shape)
    case = Case(graph, "half-squared", SGD(0.1), samples)
    check_gradients(case, weights, x, y, rng)


def check_gradients(
    case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray, rng: np.random.Generator
) -> None:
    """Central differences along random directions and single numbers, in float64."""
    loss, gradients, _, dx = with_input_gradient(case, weights, x, y)
    assert list(gradients) == [weight.name for weight in case.graph.weights if weight.trained]
    assert dx is not None
    places = {"": x} | {name: weights[name] for name in gradients}
    for name, array in places.items():
        found = gradients[name] if name else dx
        assert found.shape == array.shape, name
        for direction in _directions(array.shape, rng):
            difference = (
                _loss(case, weights, x, y, name, H * direction)
                - _loss(case, weights, x, y, name, -H * direction)
            ) / (2 * H)
            expected = np.vdot(found, direction)
            scale = np.abs(found * direction).sum() + abs(loss)
            assert abs(difference - expected) <= 1e-7 * scale + 1e-9, (
                name,
                difference,
                expected,
            )


def _directions(shape: tuple[int, ...], rng: np.random.Generator) -> list[np.ndarray]:
    single = np.zeros(shape)
    single.flat[rng.integers(single.size)] = 1
    return [rng.choice([-1.0, 1.0], size=shape), rng.normal(size=shape), single]


def _loss(
    case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray, name: str, move: np.ndarray
) -> float:
    if name:
        weights = weights | {name: weights[name] + move}
    else:
        x = x + move
    z = forward(case.graph, weights, x, training=True)
    return loss_and_slope(case.loss, z, y, "sum-over-batch" in case.quirks)[0]
