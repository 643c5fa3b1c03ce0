"""Losses that a program may compute in place of the recipe's: each one's value and its slope.

A form takes outputs, targets and one number (where it has one), and gives the mean over the batch
and its gradient with respect to the outputs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorstone.oracle.losses import loss_and_slope
from tensorstone.oracle.nonlinearities import log_softmax, sigmoid, softmax, softplus

Form = Callable[[np.ndarray, np.ndarray, float], tuple[float, np.ndarray]]


def one_hot(y: np.ndarray, classes: int) -> np.ndarray:
    found: np.ndarray = np.eye(classes)[y]
    return found


def cross_entropy(z: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    """Of softmax(z) and a share for each class."""
    logs = log_softmax(z)
    slope = np.exp(logs) * targets.sum(axis=1, keepdims=True) - targets
    return float(-(targets * logs).sum() / len(z)), slope / len(z)


def through_softmax(z: np.ndarray, slope: np.ndarray) -> np.ndarray:
    p = softmax(z)
    found: np.ndarray = p * (slope - (slope * p).sum(axis=1, keepdims=True))
    return found


def softmax_twice(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    loss, slope = cross_entropy(softmax(z), one_hot(y, z.shape[1]))
    return loss, through_softmax(z, slope)


def softmax_of_sigmoid(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    s = sigmoid(z)
    loss, slope = cross_entropy(s, one_hot(y, z.shape[1]))
    return loss, slope * s * (1 - s)


def softmax_tempered(z: np.ndarray, y: np.ndarray, c: float) -> tuple[float, np.ndarray]:
    loss, slope = cross_entropy(c * z, one_hot(y, z.shape[1]))
    return loss, c * slope


def smoothed(z: np.ndarray, y: np.ndarray, epsilon: float) -> tuple[float, np.ndarray]:
    classes = z.shape[1]
    return cross_entropy(z, (1 - epsilon) * one_hot(y, classes) + epsilon / classes)


def focal(z: np.ndarray, y: np.ndarray, gamma: float) -> tuple[float, np.ndarray]:
    """−(1 − p)^γ log p of the right class."""
    logs, own = log_softmax(z), one_hot(y, z.shape[1])
    log_p = (logs * own).sum(axis=1, keepdims=True)
    p = np.exp(log_p)
    rest = -np.expm1(log_p)
    by_log = gamma * rest ** (gamma - 1) * p * log_p - rest**gamma  # slope by log p
    loss = -(rest**gamma * log_p).mean()
    return float(loss), by_log * (own - np.exp(logs)) / len(z)


def squared_softmax(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    """`share` times the squared distance of softmax(z) from one-hot labels, mean over the batch."""
    gap = softmax(z) - one_hot(y, z.shape[1])
    loss = share * np.square(gap).sum() / len(z)
    return float(loss), through_softmax(z, 2 * share * gap / len(z))


def squared_scores(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    gap = z - one_hot(y, z.shape[1])
    return float(share * np.square(gap).sum() / len(z)), 2 * share * gap / len(z)


def each_class_alone(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    """Binary cross-entropy of every class, its logit by itself."""
    loss, slope = loss_and_slope("binary-cross-entropy", z, one_hot(y, z.shape[1]))
    return share * loss * z.shape[1], share * slope * z.shape[1]


def no_softmax(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    """−z of the right class: logits taken for log-probabilities."""
    own = one_hot(y, z.shape[1])
    return float(-(own * z).sum() / len(z)), -own / len(z)


def no_logarithm(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    """−p of the right class: probabilities taken for log-probabilities."""
    own = one_hot(y, z.shape[1])
    loss = -(own * softmax(z)).sum() / len(z)
    return float(loss), through_softmax(z, -own / len(z))


def hinge(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    """Σ max(0, 1 + z of another class − z of the right one)."""
    own = one_hot(y, z.shape[1])
    margin = (1 + z - (z * own).sum(axis=1, keepdims=True)) * (1 - own)
    slope = (margin > 0).astype(np.float64)
    slope -= own * slope.sum(axis=1, keepdims=True)
    return float(share * np.maximum(margin, 0).sum() / len(z)), share * slope / len(z)


def _mean(values: np.ndarray, slope: np.ndarray) -> tuple[float, np.ndarray]:
    return float(values.mean()), slope / values.size


def sigmoid_twice(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    s = sigmoid(z)
    loss, slope = loss_and_slope("binary-cross-entropy", s, y)
    return loss, slope * s * (1 - s)


def sigmoid_tempered(z: np.ndarray, y: np.ndarray, c: float) -> tuple[float, np.ndarray]:
    loss, slope = loss_and_slope("binary-cross-entropy", c * z, y)
    return loss, c * slope


def smoothed_binary(z: np.ndarray, y: np.ndarray, epsilon: float) -> tuple[float, np.ndarray]:
    return loss_and_slope("binary-cross-entropy", z, (1 - epsilon) * y + epsilon / 2)


def weighted_positives(z: np.ndarray, y: np.ndarray, weight: float) -> tuple[float, np.ndarray]:
    values = weight * y * softplus(-z) + (1 - y) * softplus(z)
    return _mean(values, (1 - y) * sigmoid(z) - weight * y * sigmoid(-z))


def focal_binary(z: np.ndarray, y: np.ndarray, gamma: float) -> tuple[float, np.ndarray]:
    signed = np.where(y > 0.5, z, -z)  # the logit of what is right
    log_p, rest = -softplus(-signed), sigmoid(-signed)
    by_logit = gamma * rest**gamma * sigmoid(signed) * log_p - rest ** (gamma + 1)
    return _mean(-(rest**gamma) * log_p, by_logit * np.where(y > 0.5, 1, -1))


def squared_sigmoid(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    s = sigmoid(z)
    return _mean(share * np.square(s - y), 2 * share * (s - y) * s * (1 - s))


def flipped(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    return loss_and_slope("binary-cross-entropy", z, 1 - y)


def hinge_binary(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    sign = 2 * y - 1
    return _mean(np.maximum(0, 1 - sign * z), np.where(sign * z < 1, -sign, 0))


def squared(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    return _mean(share * np.square(z - y), 2 * share * (z - y))


def absolute(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    return _mean(np.abs(z - y), np.sign(z - y))


def log_cosh(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
    gap = z - y
    return _mean(np.logaddexp(gap, -gap) - np.log(2), np.tanh(gap))


def huber(z: np.ndarray, y: np.ndarray, delta: float) -> tuple[float, np.ndarray]:
    gap = z - y
    size = np.abs(gap)
    values = np.where(size <= delta, np.square(gap) / 2, delta * (size - delta / 2))
    return _mean(values, np.clip(gap, -delta, delta))


def smooth_l1(z: np.ndarray, y: np.ndarray, beta: float) -> tuple[float, np.ndarray]:
    loss, slope = huber(z, y, beta)
    return loss / beta, slope / beta


def quantile(z: np.ndarray, y: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    """Targets above the output weigh `share`, those below it the rest."""
    slope = np.where(y > z, -share, 1 - share)
    return _mean(slope * (z - y), slope)


def every_pair(form: Form) -> Form:
    """Every output against every sample's target: what broadcasting (n, 1) with (n) does."""

    def paired(z: np.ndarray, y: np.ndarray, number: float) -> tuple[float, np.ndarray]:
        n = len(z)
        outputs = np.repeat(z.reshape(n, 1, -1), n, axis=1)
        targets = np.repeat(y.reshape(1, n, -1), n, axis=0)
        loss, slope = form(outputs, targets, number)
        return loss, slope.sum(axis=1).reshape(z.shape)

    return paired
