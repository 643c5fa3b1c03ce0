"""Paths joined: side by side along the channels, or added."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation


def _forward(call: Call, *paths: np.ndarray) -> tuple[np.ndarray, list[int]]:
    if call.layer.how == "concat":
        return np.concatenate(paths, axis=1), [path.shape[1] for path in paths]
    total = paths[0]
    for path in paths[1:]:
        if path.shape != total.shape:  # NumPy would stretch a single channel over many
            raise ValueError(f"{call.name}: cannot add {path.shape} to {total.shape}")
        total = total + path
    return total, [0] * len(paths)


def _backward(call: Call, channels: list[int], dy: np.ndarray) -> Backward:
    if call.layer.how == "concat":
        return tuple(np.split(dy, np.cumsum(channels)[:-1], axis=1)), {}
    return (dy,) * len(channels), {}


JOIN = Operation(_forward, _backward)
