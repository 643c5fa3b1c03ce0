"""Where a rounding error could send a gradient elsewhere: ReLUs near zero, ties under a max-pool.

Frameworks round differently, so a value that close to a kink falls on either side of it and the
gradient is right both ways. Such a probe proves less; another seed is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tensorstone.models import layers as L
from tensorstone.oracle import Arrays, Case, activations, gradients
from tensorstone.oracle.optimisers import Updates

# Of the values' own size: about what unequal orders of summation make of a few layers.
MARGIN = 64 * 2.0**-24


def nearness(case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray) -> tuple[int, int]:
    """How many updates are left at the first with values near a kink, and how many it has.

    The weights move between batches, so each is looked at where training has come by then.
    """
    updates = Updates(case)
    count = len(x) // case.batch
    for number in range(count):
        batch = slice(number * case.batch, (number + 1) * case.batch)
        if near := _near(case, weights, x[batch], y[batch]):
            return count - number, near
        _, found, statistics = gradients(case, weights, x[batch], y[batch])
        weights = updates.apply(weights, found) | statistics
    return 0, 0


def _near(case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray) -> int:
    """How many values lie within the margin of a kink, in training on this batch."""
    graph = case.graph
    outputs = activations(graph, weights, x, training=True)
    near = 0
    for node in graph.nodes:
        values = x if node.inputs[0] < 0 else outputs[node.inputs[0]]
        margin = MARGIN * float(np.sqrt(np.mean(np.square(values))))
        if isinstance(node.layer, L.ReLU | L.LeakyReLU):
            near += int(np.count_nonzero(np.abs(values) < margin))
        elif isinstance(node.layer, L.MaxPool2D):
            near += _ties(node.layer, values, margin)
    if case.loss == "absolute":
        near += int(np.count_nonzero(np.abs(outputs[-1] - y) < MARGIN))
    return near


def _ties(layer: L.MaxPool2D, values: np.ndarray, margin: float) -> int:
    """Windows whose two largest values are nearly equal, zeros behind a ReLU aside.

    Those are equal exactly and pass no gradient on, whichever of them wins.
    """
    (high, wide), (down, right) = layer.kernel, layer.stride  # type: ignore[misc]
    if high * wide == 1:
        return 0
    sides = ((0, 0), (0, 0), *layer.padding)  # type: ignore[misc]
    padded = np.pad(values, sides, constant_values=-np.inf)
    windows = sliding_window_view(padded, (high, wide), axis=(2, 3))[:, :, ::down, ::right]
    flat = windows.reshape(*windows.shape[:4], -1)
    second, first = np.moveaxis(np.partition(flat, -2, axis=-1)[..., -2:], -1, 0)
    return int(np.count_nonzero((first - second < margin) & (first != 0)))
