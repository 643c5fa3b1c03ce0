"""Pooling: the window's positions are visited one by one, all windows at once."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation
from tensorstone.oracle.windows import Window, window


def _max_forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    view = window(call.layer, call.quirks, x)
    padded = view.pad(x, -np.inf)
    best = view.tap(padded, (0, 0)).copy()
    winner = np.zeros(best.shape, np.int32)
    for number, at in enumerate(view.positions):
        value = view.tap(padded, at)
        # Strictly greater: the first of equals keeps the gradient. Not-a-number spreads.
        better = (value > best) | np.isnan(value)
        np.copyto(best, value, where=better)
        np.copyto(winner, number, where=better)
    return best, (x, winner)


def _max_backward(call: Call, saved: tuple[np.ndarray, np.ndarray], dy: np.ndarray) -> Backward:
    x, winner = saved
    view = window(call.layer, call.quirks, x)
    dpadded = view.pad(np.zeros_like(x))
    for number, at in enumerate(view.positions):
        target = view.tap(dpadded, at)
        target += dy * (winner == number)
    return (view.crop(dpadded),), {}


def _counts(call: Call, view: Window, dtype: np.dtype) -> np.ndarray:
    """How many values each window's mean is over."""
    counted = call.layer.count_padding
    if "padding-counted" in call.quirks:
        counted = True
    if "padding-not-counted" in call.quirks:
        counted = False
    axes = []
    for n, kernel, stride, (before, after), count in zip(
        view.size, view.kernel, view.stride, view.sides, view.out, strict=True
    ):
        first = np.arange(count) * stride - before
        # A window never counts what lies beyond the padding (rounding sizes up reaches there).
        last = np.minimum(first + kernel, n + after)
        axes.append(last - first if counted else np.minimum(last, n) - np.maximum(first, 0))
    rows, columns = axes
    # Whole numbers would turn float32 into float64 when they divide it.
    return np.outer(rows, columns).astype(dtype)


def _mean_forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    view = window(call.layer, call.quirks, x)
    padded = view.pad(x)
    total = np.zeros((*x.shape[:2], *view.out), x.dtype)
    for at in view.positions:
        total += view.tap(padded, at)
    return total / _counts(call, view, x.dtype), x


def _mean_backward(call: Call, x: np.ndarray, dy: np.ndarray) -> Backward:
    view = window(call.layer, call.quirks, x)
    share = dy / _counts(call, view, x.dtype)
    dpadded = view.pad(np.zeros_like(x))
    for at in view.positions:
        target = view.tap(dpadded, at)
        target += share
    return (view.crop(dpadded),), {}


def _global_forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    return x.mean(axis=(2, 3)), x.shape


def _global_backward(call: Call, shape: tuple[int, ...], dy: np.ndarray) -> Backward:
    share = dy / (shape[2] * shape[3])
    return (np.broadcast_to(share[:, :, None, None], shape),), {}


MAX = Operation(
    _max_forward, _max_backward, approximated=False, quirks=frozenset({"ceil-mode", "padding-side"})
)
MEAN = Operation(
    _mean_forward,
    _mean_backward,
    approximated=False,
    quirks=frozenset({"ceil-mode", "padding-side", "padding-counted", "padding-not-counted"}),
)
GLOBAL_MEAN = Operation(_global_forward, _global_backward, approximated=False)
