"""One layer's evidence with random inputs and weights, and the rounding that a program has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tensorstone.models import BatchNorm, Model
from tensorstone.models.graph import Join, Node
from tensorstone.models.layers import Layer
from tensorstone.proof.measuring.layer import LayerEvidence, describe_layer

DOUBLE, SINGLE = 1e-9, 1e-4
TOLERANCES = (DOUBLE, SINGLE)
Change = Callable[[LayerEvidence], np.ndarray]
Said = tuple[str, str | None]


def made(
    layer: Layer,
    shape: tuple[int, ...],
    tolerance: float = DOUBLE,
    seed: int = 0,
    batch: int = 12,
    training: bool = False,
    tokens: int = 0,
) -> LayerEvidence:
    """What a right program gives. With `tokens`, inputs are whole numbers below."""
    draw = np.random.default_rng(seed)
    if tokens:
        x: np.ndarray = draw.integers(0, tokens, (batch, *shape))
    else:
        x = _kept(draw.normal(size=(batch, *shape)) * 2, tolerance)
    node = Model("Net", shape, [layer]).graph.nodes[-1]
    weights = {w.role: _kept(draw.normal(size=w.shape) * 0.5, tolerance) for w in node.weights}
    if isinstance(layer, BatchNorm):
        weights |= {r: np.abs(weights[r]) + 0.5 for r in ("gamma", "variance")}
    return _right(node, (x,), weights, tolerance, draw, training)


def joined(
    how: str, shape: tuple[int, ...], count: int = 3, tolerance: float = DOUBLE, seed: int = 0
) -> LayerEvidence:
    draw = np.random.default_rng(seed)
    inputs = tuple(_kept(draw.normal(size=(12, *shape)) * 2, tolerance) for _ in range(count))
    node = Node("join1", Join(how=how), tuple(range(count)), shape)
    return _right(node, inputs, {}, tolerance, draw, False)


def _right(
    node: Node,
    inputs: tuple[np.ndarray, ...],
    weights: dict[str, np.ndarray],
    tolerance: float,
    draw: np.random.Generator,
    training: bool,
) -> LayerEvidence:
    nothing = np.empty(0)
    bare = LayerEvidence(node, inputs, weights, nothing, nothing, tolerance, training)
    expected = bare.computed()
    return replace(bare, observed=noisy(expected, tolerance, draw), expected=expected)


def _kept(array: np.ndarray, tolerance: float) -> np.ndarray:
    return array if tolerance == DOUBLE else array.astype(np.float32).astype(np.float64)


def noisy(array: np.ndarray, tolerance: float, draw: np.random.Generator) -> np.ndarray:
    """As float64, or as float32 with some units in the last place lost."""
    noise = draw.normal(size=array.shape)
    if tolerance == DOUBLE:
        return array * (1 + 1e-13 * noise)
    return (array * (1 + 2e-7 * noise)).astype(np.float32).astype(np.float64)


def said(evidence: LayerEvidence, change: Change) -> Said | None:
    """What is said of a program that computes `change`, rounded."""
    draw = np.random.default_rng(3)
    observed = noisy(np.asarray(change(evidence), np.float64), evidence.tolerance, draw)
    found = describe_layer(replace(evidence, observed=observed))
    if found is None:
        return None
    assert found.place == evidence.node.name
    return found.says, found.name


def with_layer(**settings: Any) -> Change:
    """The oracle's own, with other settings."""
    return lambda e: e.computed(layer=replace(e.node.layer, **settings))  # type: ignore[type-var]


def with_quirk(quirk: str) -> Change:
    return lambda e: e.computed(quirk=quirk)


def with_weights(**changes: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda e: e.computed(weights={r: f(e.weights[r]) for r, f in changes.items()})


def on_input(change: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda e: e.computed(change(e.x))
