"""Batch normalisation, and dropout: what behaves differently in training and in prediction."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation

# No deviation but another algorithm, as Flax's and OneFlow's: the variance is the mean of the
# squares less the square of the mean, both summed one value after another. In float32 that loses
# more.
ONE_PASS = "one-pass-variance"
# Training normalises with the running statistics, as prediction does, and leaves them as they are.
RUNNING = "running-statistics-in-training"
DETACHED = "detached-statistics"  # no gradient goes through the batch's mean and variance


@dataclass(frozen=True)
class _Batch:
    """A batch's own statistics, shaped to broadcast, and what was made of them."""

    mean: np.ndarray
    variance: np.ndarray  # biased
    count: int  # values a channel
    normal: np.ndarray  # (x − mean) · scale
    scale: np.ndarray  # 1 / √(variance + epsilon)

    @property
    def freedom(self) -> int:
        """What the unbiased variance divides by; one value a channel has no spread to correct."""
        return max(self.count - 1, 1)


def _axes(x: np.ndarray) -> tuple[int, ...]:
    return (0, *range(2, x.ndim))


def _per_channel(values: np.ndarray, axes: int) -> np.ndarray:
    return values.reshape(1, -1, *(1,) * (axes - 2))


def _running_mean(x: np.ndarray) -> np.ndarray:
    """Each channel's, one value after another: NumPy sums in pairs, which loses less."""
    channels = np.moveaxis(x, 1, 0).reshape(x.shape[1], -1)
    total = np.add.accumulate(channels, axis=1)[:, -1]
    return _per_channel(total / channels.shape[1], x.ndim)


def _forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, _Batch | None]:
    gamma, beta, mean, variance = (
        _per_channel(call.weights[role], x.ndim) for role in ("gamma", "beta", "mean", "variance")
    )
    epsilon = call.layer.epsilon
    if not call.training:
        return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta, None
    mean = x.mean(axis=_axes(x), keepdims=True)
    centred = x - mean
    variance = np.square(centred).mean(axis=_axes(x), keepdims=True)
    if ONE_PASS in call.quirks:
        mean = _running_mean(x)
        centred = x - mean
        variance = np.maximum(_running_mean(np.square(x)) - np.square(mean), 0)
    count = x.size // x.shape[1]
    if RUNNING in call.quirks:
        shape = mean.shape
        mean, variance = (call.weights[role].reshape(shape) for role in ("mean", "variance"))
        centred = x - mean
    factor = count / max(count - 1, 1) if "unbiased-variance" in call.quirks else 1.0
    scale = 1 / np.sqrt(variance * factor + epsilon)
    normal = centred * scale
    return normal * gamma + beta, _Batch(mean, variance, count, normal, scale)


def _backward(call: Call, batch: _Batch, dy: np.ndarray) -> Backward:
    axes = _axes(dy)
    dgamma = (dy * batch.normal).sum(axis=axes)
    dbeta = dy.sum(axis=axes)
    gamma = _per_channel(call.weights["gamma"], dy.ndim)
    dnormal = dy * gamma
    if call.quirks & {RUNNING, DETACHED}:
        return (batch.scale * dnormal,), {"gamma": dgamma, "beta": dbeta}
    divisor = batch.freedom if "unbiased-variance" in call.quirks else batch.count
    through_mean = dnormal.mean(axis=axes, keepdims=True)
    through_variance = (dnormal * batch.normal).sum(axis=axes, keepdims=True) / divisor
    dx = batch.scale * (dnormal - through_mean - batch.normal * through_variance)
    return (dx,), {"gamma": dgamma, "beta": dbeta}


def _statistics(call: Call, batch: _Batch) -> dict[str, np.ndarray]:
    if RUNNING in call.quirks:
        return {role: call.weights[role] for role in ("mean", "variance")}
    variance = batch.variance
    if call.unbiased_running_variance:
        variance = variance * (batch.count / batch.freedom)
    kept = call.layer.momentum
    return {
        "mean": kept * call.weights["mean"] + (1 - kept) * batch.mean.ravel(),
        "variance": kept * call.weights["variance"] + (1 - kept) * variance.ravel(),
    }


def _drop(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    rate = call.layer.rate
    if rate == 0 or not (call.training or "active-in-prediction" in call.quirks):
        return x, None
    draw = np.random.default_rng([zlib.crc32(call.name.encode()), call.step])
    mask = (draw.random(x.shape) >= rate).astype(x.dtype) / (1 - rate)
    return x * mask, mask


def _undrop(call: Call, mask: np.ndarray | None, dy: np.ndarray) -> Backward:
    return (dy if mask is None else dy * mask,), {}


BATCH_NORM = Operation(
    _forward,
    _backward,
    approximated=False,
    quirks=frozenset({"unbiased-variance", ONE_PASS, RUNNING, DETACHED}),
    statistics=_statistics,
)
DROPOUT = Operation(_drop, _undrop, approximated=False, quirks=frozenset({"active-in-prediction"}))
