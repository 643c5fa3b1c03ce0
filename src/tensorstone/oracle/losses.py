"""Losses: for each, its value for every sample and output, and its slope there.

Values are arrays; the mean over the batch and the outputs is taken once, for all of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorstone.models.recipe import Loss
from tensorstone.oracle.call import Approximation, exact
from tensorstone.oracle.nonlinearities import log_softmax, sigmoid, softplus

# No deviation but another algorithm, of some libraries: the sum is taken one value after another.
# NumPy sums in pairs, which in float32 loses less.
ONE_BY_ONE = "loss-summed-one-by-one"

Pointwise = Callable[[np.ndarray, np.ndarray, Approximation], tuple[np.ndarray, np.ndarray]]


def _softmax_cross_entropy(
    z: np.ndarray, labels: np.ndarray, approximate: Approximation
) -> tuple[np.ndarray, np.ndarray]:
    if z.ndim != 2 or labels.shape != z.shape[:1] or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(f"labels {labels.dtype}{labels.shape} do not fit scores {z.shape}")
    logs = log_softmax(z, approximate)
    rows = np.arange(len(z))
    slope = np.exp(logs)
    slope[rows, labels] -= 1
    return -logs[rows, labels], slope


def _binary_cross_entropy(
    z: np.ndarray, y: np.ndarray, approximate: Approximation
) -> tuple[np.ndarray, np.ndarray]:
    # softplus(z) − y·z without the difference of two large numbers where y is 1.
    return y * softplus(-z) + (1 - y) * softplus(z), approximate(sigmoid(z)) - y


def _mean_squared(
    z: np.ndarray, y: np.ndarray, approximate: Approximation
) -> tuple[np.ndarray, np.ndarray]:
    return np.square(z - y), 2 * (z - y)


def _half_squared(
    z: np.ndarray, y: np.ndarray, approximate: Approximation
) -> tuple[np.ndarray, np.ndarray]:
    return np.square(z - y) / 2, z - y


def _absolute(
    z: np.ndarray, y: np.ndarray, approximate: Approximation
) -> tuple[np.ndarray, np.ndarray]:
    return np.abs(z - y), np.sign(z - y)


_LOSSES: dict[str, Pointwise] = {
    "softmax-cross-entropy": _softmax_cross_entropy,
    "binary-cross-entropy": _binary_cross_entropy,
    "mean-squared": _mean_squared,
    "half-squared": _half_squared,
    "absolute": _absolute,
}


def loss_and_slope(
    loss: Loss,
    z: np.ndarray,
    y: np.ndarray,
    sum_over_batch: bool = False,
    approximate: Approximation = exact,
    one_by_one: bool = False,
) -> tuple[float, np.ndarray]:
    """The loss of outputs `z` against `y`, and its gradient with respect to `z`."""
    if loss != "softmax-cross-entropy":
        y = np.asarray(y, z.dtype)
        if y.shape != z.shape:  # NumPy would compare every sample with every other
            raise ValueError(f"targets {y.shape} do not fit outputs {z.shape}")
    values, slope = _LOSSES[loss](z, y, approximate)
    share = values.size // len(z) if sum_over_batch else values.size
    total = np.add.accumulate(values.ravel())[-1] if one_by_one else values.sum()
    return float(total / share), slope / share
