"""Where rounding decides where a gradient goes: ReLUs near zero, ties under a max-pool.

Frameworks round differently, so a value this close to a jump of the gradient falls on either side
of it, and both gradients are right. Such a probe proves less; perturbation.py moves it away.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.graph import Node

# Of the values' own size: about what unequal orders of summation make of a few layers.
MARGIN = 128 * 2.0**-24
# Both of two values may move, and other seeds move them a little further.
_SAFE = 3.0


def near_jump(node: Node, values: np.ndarray, moved: np.ndarray | None = None) -> list[int]:
    """The channels of a node's input that have values near a jump of the node's gradient.

    `moved`: how far rounding was seen to move each channel's values, where that was measured.
    """
    if node.layer.jump == "nowhere":
        return []
    others = _not_channels(values)
    margin = MARGIN * np.sqrt(np.mean(np.square(values), axis=others, keepdims=True))
    if moved is not None:
        margin = np.maximum(margin, _SAFE * moved.reshape(margin.shape))
    if node.layer.jump == "ties":
        assert isinstance(node.layer, L.MaxPool2D)
        return _channels(_ties(node.layer, values, margin))
    return _channels(np.abs(values) < margin)


def near_target(outputs: np.ndarray, y: np.ndarray) -> list[int]:
    """The channels of the output where an absolute error's sign is open."""
    return _channels(np.abs(outputs - y) < MARGIN)


def _channels(near: np.ndarray) -> list[int]:
    return [int(channel) for channel in np.flatnonzero(near.any(_not_channels(near)))]


def furthest(change: np.ndarray) -> np.ndarray:
    """The largest change of each channel's values."""
    found: np.ndarray = np.abs(change).max(_not_channels(change), initial=0.0)
    return found


def _not_channels(values: np.ndarray) -> tuple[int, ...]:
    """The axes but that of channels: of sequences the last, of all else the second."""
    axis = values.ndim - 1 if values.ndim == 3 else 1
    return tuple(number for number in range(values.ndim) if number != axis)


def _ties(layer: L.MaxPool2D, values: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """Windows with a value that is nearly the largest.

    One that equals it exactly is the same number come another way (an earlier pool's windows
    overlap, say) or a zero behind a ReLU: the gradient ends in the same place, whichever wins.
    """
    (high, wide), (down, right) = layer.kernel, layer.stride  # type: ignore[misc]
    sides = ((0, 0), (0, 0), *layer.padding)  # type: ignore[misc]
    padded = np.pad(values, sides, constant_values=-np.inf)
    rows, columns = padded.shape[2] - high + 1, padded.shape[3] - wide + 1
    members = [
        padded[:, :, top : top + rows : down, left : left + columns : right]
        for top, left in product(range(high), range(wide))
    ]
    largest = members[0]
    for member in members[1:]:
        largest = np.maximum(largest, member)
    near = np.zeros(largest.shape, bool)
    for member in members:
        near |= (member > largest - margin) & (member != largest)
    return near
