"""Dense layers, on vectors or on every step of a sequence, and flattening before them."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation


def _forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = x @ call.weights["weight"].T
    if call.bias is not None:
        y += call.bias
    return y, x


def _backward(call: Call, x: np.ndarray, dy: np.ndarray) -> Backward:
    rows = dy.reshape(-1, dy.shape[-1])  # a sequence's steps are so many samples more
    gradients = {"weight": rows.T @ x.reshape(-1, x.shape[-1])}
    if call.bias is not None:
        gradients["bias"] = rows.sum(axis=0)
    return ((dy @ call.weights["weight"],) if call.carries else ()), gradients


def _flat(call: Call, x: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    if _channels_last(call, x.ndim):
        x = x.transpose(0, 2, 3, 1)
    return x.reshape(len(x), -1), x.shape


def _unflat(call: Call, shape: tuple[int, ...], dy: np.ndarray) -> Backward:
    dx = dy.reshape(shape)
    return (dx.transpose(0, 3, 1, 2) if _channels_last(call, dx.ndim) else dx,), {}


def _channels_last(call: Call, axes: int) -> bool:
    return "hwc-flatten" in call.quirks and axes == 4


DENSE = Operation(_forward, _backward, approximated=False, quirks=frozenset({"missing-bias"}))
FLATTEN = Operation(_flat, _unflat, approximated=False, quirks=frozenset({"hwc-flatten"}))
