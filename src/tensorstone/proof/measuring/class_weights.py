"""Weights of classes in a softmax cross-entropy, solved from the last layer's gradients."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tensorstone.oracle.nonlinearities import log_softmax
from tensorstone.proof.measuring.factors import listed, said
from tensorstone.proof.measuring.last_layer import Last
from tensorstone.proof.measuring.sentence import Sentence

_EQUATIONS = 4  # for each class
_LEAST_PRECISE = 0.02


def class_weights(last: Last) -> Sentence | None:
    """Every class in the batch has a weight; most of them are one, or all are named."""
    present = np.unique(last.y)
    if last.features is None or last.equations < _EQUATIONS * len(present) or len(present) < 2:
        return None
    terms = np.stack([last.seen(*_of_class(last, c)) for c in present], axis=1)
    weights = np.linalg.lstsq(terms, last.observed, rcond=None)[0]
    error = last.explained(terms @ weights)
    slack = np.abs(terms).max(axis=0)
    if error is None or not slack.all():
        return None
    weights = np.where(np.abs(weights) <= 10 / slack, 0, weights)  # a class may not count at all
    if (weights < 0).any() or not weights.any():
        return None
    # Divided by the batch's size, or by the sum of its samples' weights: relative to the commonest.
    precision = np.maximum(1 / slack, 1e-9)
    if (precision > _LEAST_PRECISE).any():
        return None
    usual = _usual(weights, float(precision.min()))
    other = [
        (label, weight / usual, sharp)
        for label, weight, sharp in zip(present, weights, precision, strict=True)
    ]
    shown = [one for one in other if abs(one[1] - 1) > 10 * one[2]]
    if not shown:
        return None
    words = listed([f"class {label} by {said(w, p / w) if w else 0}" for label, w, p in shown], 8)
    rest = ", the others by 1" if len(shown) < len(present) else ""
    return Sentence(f"the loss weighs {words}{rest}", error)


def _of_class(last: Last, label: int) -> tuple[float, np.ndarray]:
    """What the samples of one class give to the loss and its slope."""
    z = last.outputs
    own = (last.y == label)[:, None]
    logs = log_softmax(z)
    target = np.eye(z.shape[1])[last.y]
    return float(-(own * target * logs).sum() / len(z)), own * (np.exp(logs) - target) / len(z)


def _usual(weights: np.ndarray, precision: float) -> float:
    """One, where some class weighs that; else the commonest weight, else the smallest."""
    if (np.abs(weights - 1) <= 10 * precision).any():
        return 1.0
    rounded = Counter(np.round(weights, 4).tolist())
    value, count = rounded.most_common(1)[0]
    return float(value) if count > 1 else float(weights.min() or 1.0)
