"""Activation functions and their slopes, written so that no exponential overflows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tensorstone.oracle.call import Approximation, Backward, Call, Operation, exact

Curve = Callable[[np.ndarray], np.ndarray]


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e⁻ˣ)"""
    small = np.exp(-np.abs(x))
    y: np.ndarray = np.where(x >= 0, 1, small) / (1 + small)
    return y


def softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + eˣ)"""
    y: np.ndarray = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return y


def log_softmax(x: np.ndarray, approximate: Approximation = exact) -> np.ndarray:
    """The logarithm of softmax over the channels."""
    shifted = x - x.max(axis=1, keepdims=True)
    total = approximate(np.exp(shifted).sum(axis=1, keepdims=True))
    logs: np.ndarray = shifted - np.log(total)
    return logs


def softmax(x: np.ndarray) -> np.ndarray:
    """eˣ over its sum over the channels."""
    y: np.ndarray = np.exp(x - x.max(axis=1, keepdims=True))
    y /= y.sum(axis=1, keepdims=True)
    return y


def _normal_distribution(x: np.ndarray) -> np.ndarray:
    from scipy.special import erf  # slow to import, and only GELU needs it

    share: np.ndarray = (1 + erf(x * math.sqrt(0.5))) / 2
    return share


def _gelu_slope(x: np.ndarray) -> np.ndarray:
    density: np.ndarray = np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi)
    slope: np.ndarray = _normal_distribution(x) + x * density
    return slope


def _by_output(curve: Curve, slope: Curve, approximated: bool = True) -> Operation:
    """An element-wise layer whose slope follows from its output, so its input can be forgotten."""

    def forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = curve(x)
        return y, y

    def backward(call: Call, y: np.ndarray, dy: np.ndarray) -> Backward:
        return (dy * slope(y),), {}

    return Operation(forward, backward, approximated=approximated)


def _gelu(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x * _normal_distribution(x), x


def _gelu_backward(call: Call, x: np.ndarray, dy: np.ndarray) -> Backward:
    return (dy * _gelu_slope(x),), {}


def _silu(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x * sigmoid(x), x


def _silu_backward(call: Call, x: np.ndarray, dy: np.ndarray) -> Backward:
    share = sigmoid(x)
    return (dy * share * (1 + x * (1 - share)),), {}


def _leaky(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    positive = x > 0
    return np.where(positive, x, call.layer.slope * x), positive


def _leaky_backward(call: Call, positive: np.ndarray, dy: np.ndarray) -> Backward:
    return (np.where(positive, dy, call.layer.slope * dy),), {}


def _softmax(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = softmax(x)
    return y, y


def _softmax_backward(call: Call, y: np.ndarray, dy: np.ndarray) -> Backward:
    return (y * (dy - (dy * y).sum(axis=1, keepdims=True)),), {}


RELU = _by_output(lambda x: np.maximum(x, 0), lambda y: y > 0, approximated=False)
TANH = _by_output(np.tanh, lambda y: 1 - y * y)
SIGMOID = _by_output(sigmoid, lambda y: y * (1 - y))
SOFTSIGN = _by_output(lambda x: x / (1 + np.abs(x)), lambda y: np.square(1 - np.abs(y)))
SOFTPLUS = _by_output(softplus, lambda y: -np.expm1(-y))
LEAKY_RELU = Operation(_leaky, _leaky_backward, approximated=False)
GELU = Operation(_gelu, _gelu_backward, approximated=True)
SILU = Operation(_silu, _silu_backward, approximated=True)
SOFTMAX = Operation(_softmax, _softmax_backward, approximated=True)
