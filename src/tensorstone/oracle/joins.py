"""Paths joined: side by side along the channels or features, or added."""

from __future__ import annotations

import numpy as np

from tensorstone.models.shapes import width_axis
from tensorstone.oracle.call import Backward, Call, Operation


def _forward(call: Call, *paths: np.ndarray) -> tuple[np.ndarray, list[int]]:
    if call.layer.how == "concat":
        axis = _width_axis(paths[0])
        return np.concatenate(paths, axis=axis), [path.shape[axis] for path in paths]
    total = paths[0]
    for path in paths[1:]:
        if path.shape != total.shape:  # NumPy would stretch a single channel over many
            raise ValueError(f"{call.name}: cannot add {path.shape} to {total.shape}")
        total = total + path
    return total, [0] * len(paths)


def _backward(call: Call, widths: list[int], dy: np.ndarray) -> Backward:
    if call.layer.how == "concat":
        return tuple(np.split(dy, np.cumsum(widths)[:-1], axis=_width_axis(dy))), {}
    return (dy,) * len(widths), {}


def _width_axis(batch: np.ndarray) -> int:
    return 1 + width_axis(batch.shape[1:])


JOIN = Operation(_forward, _backward, approximated=False)
