"""Convolution as matrix products over the columns a sliding window collects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation
from tensorstone.oracle.windows import Window, window

# Columns repeat the input once for every kernel position. Samples are taken together while their
# columns fit here: large products are quick, and huge copies are not.
_COLUMN_NUMBERS = 8_000_000


def _chunks(view: Window, x: np.ndarray) -> Iterator[slice]:
    """Samples to take together."""
    samples, channels = x.shape[:2]
    numbers = channels * np.prod(view.kernel) * np.prod(view.out)
    together = max(1, _COLUMN_NUMBERS // int(numbers))
    for first in range(0, samples, together):
        yield slice(first, first + together)


def _matrices(call: Call) -> np.ndarray:
    """The kernels as groups × outputs × window numbers."""
    kernels = call.weights["weight"]
    if "flipped-kernel" in call.quirks:
        kernels = kernels[..., ::-1, ::-1]
    groups = call.layer.groups
    return kernels.reshape(groups, len(kernels) // groups, -1)


def _columns(view: Window, padded: np.ndarray, groups: int) -> np.ndarray:
    """Groups × window numbers × (samples · windows)."""
    by_channel = padded.swapaxes(0, 1)
    channels, samples = by_channel.shape[:2]
    columns = np.empty((channels, *view.kernel, samples, *view.out), padded.dtype)
    for i, j in view.positions:
        columns[:, i, j] = view.tap(by_channel, (i, j))
    return columns.reshape(groups, -1, samples * view.out[0] * view.out[1])


def _scatter(view: Window, columns: np.ndarray, padded: np.ndarray) -> None:
    """Add columns back to where they were collected."""
    by_channel = padded.swapaxes(0, 1)
    columns = columns.reshape(len(by_channel), *view.kernel, len(padded), *view.out)
    for i, j in view.positions:
        target = view.tap(by_channel, (i, j))
        target += columns[:, i, j]


def _forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    view = window(call.layer, call.quirks, x)
    matrices = _matrices(call)
    groups, each, _ = matrices.shape
    padded = view.pad(x)
    y = np.empty((len(x), groups * each, *view.out), x.dtype)
    for chunk in _chunks(view, x):
        product = matrices @ _columns(view, padded[chunk], groups)
        y[chunk] = product.reshape(groups * each, -1, *view.out).swapaxes(0, 1)
    if call.bias is not None:
        y += call.bias[:, None, None]
    return y, x


def _backward(call: Call, x: np.ndarray, dy: np.ndarray) -> Backward:
    view = window(call.layer, call.quirks, x)
    matrices = _matrices(call)
    groups, each, _ = matrices.shape
    padded = view.pad(x)
    dmatrices = np.zeros_like(matrices)
    dpadded = np.zeros_like(padded) if call.carries else None
    for chunk in _chunks(view, x):
        d = dy[chunk].swapaxes(0, 1).reshape(groups, each, -1)
        dmatrices += d @ _columns(view, padded[chunk], groups).swapaxes(1, 2)
        if dpadded is not None:
            _scatter(view, matrices.swapaxes(1, 2) @ d, dpadded[chunk])
    dkernels = dmatrices.reshape(call.weights["weight"].shape)
    if "flipped-kernel" in call.quirks:
        dkernels = dkernels[..., ::-1, ::-1]
    gradients = {"weight": dkernels}
    if call.bias is not None:
        gradients["bias"] = dy.sum(axis=(0, 2, 3))
    return (() if dpadded is None else (view.crop(dpadded),)), gradients


CONVOLUTION = Operation(
    _forward,
    _backward,
    approximated=False,
    quirks=frozenset({"flipped-kernel", "padding-side", "missing-bias"}),
)
