"""Layers without weights: softmax, flattening, joins, means, last steps, computed otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.graph import Join
from tensorstone.proof.measuring.axes import axis_name
from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.guesses import EQUATIONS, Guess


def unweighted_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    match evidence.node.layer:
        case L.Softmax():
            yield from _softmax(evidence.x)
        case L.Flatten() if evidence.x.ndim == 4:
            yield from _flatten()
        case Join():
            yield from _joins(evidence)
        case L.GlobalAvgPool2D():
            yield from _global_pool()
        case R.LastStep():
            yield from _steps(evidence.x)
        case R.FirstLast():
            yield Guess("gives the last step before the first", lambda e: _ends(e.x, -1, 0))
            yield Guess("gives the last step twice", lambda e: _ends(e.x, -1, -1))
            yield Guess("gives the first step twice", lambda e: _ends(e.x, 0, 0))
        case L.Dropout():
            yield from _dropout(evidence)


def _softmax(x: np.ndarray) -> Iterator[Guess]:
    for axis in range(x.ndim):
        if axis != 1:
            name = axis_name(x.ndim, axis)
            says = f"computes softmax along its {name}s"
            if axis == 0:
                says = "computes softmax over the batch"
            yield Guess(says, partial(_soft_along, axis), whole=axis == 0)
    if x.ndim > 2:
        every = tuple(range(1, x.ndim))
        yield Guess("computes softmax over all of a sample", lambda e: _soft(e.x, every))
    yield Guess("computes the logarithm of softmax", lambda e: np.log(_soft(e.x, 1)))
    yield Guess("computes softmax of −x", lambda e: _soft(-e.x, 1))
    yield Guess("gives eˣ, not divided by its sum", lambda e: np.exp(e.x))
    yield Guess(
        "gives e^(x − max), not divided by its sum",
        lambda e: np.exp(e.x - e.x.max(1, keepdims=True)),
    )
    yield Guess("computes softmax twice", lambda e: _soft(_soft(e.x, 1), 1), name="softmax-twice")
    yield Guess("gives 1 for the largest and 0 for the others", _winner)


def _winner(e: LayerEvidence) -> np.ndarray:
    found: np.ndarray = (e.x == e.x.max(1, keepdims=True)).astype(np.float64)
    return found


def _soft_along(axis: int, e: LayerEvidence) -> np.ndarray:
    return _soft(e.x, axis)


def _soft(x: np.ndarray, axis: int | tuple[int, ...]) -> np.ndarray:
    grown = np.exp(x - x.max(axis, keepdims=True))
    found: np.ndarray = grown / grown.sum(axis, keepdims=True)
    return found


def _flatten() -> Iterator[Guess]:
    names = ("channels", "height", "width")
    for order in permutations(range(3)):
        if order != (0, 1, 2):
            axes = (0, *(k + 1 for k in order))
            yield Guess(
                f"flattens maps in the order {', '.join(names[k] for k in order)}",
                partial(_flattened, axes),
                name="hwc-flatten" if order == (1, 2, 0) else None,
            )


def _flattened(axes: tuple[int, ...], e: LayerEvidence) -> np.ndarray:
    return e.x.transpose(axes).reshape(len(e.x), -1)


def _joins(evidence: LayerEvidence) -> Iterator[Guess]:
    count, axis = len(evidence.inputs), 2 if evidence.x.ndim == 3 else 1
    yield Guess("adds its paths instead of concatenating them", lambda e: _sum(e.inputs))
    yield Guess("gives the mean of its paths", lambda e: _sum(e.inputs) / count)
    yield Guess("multiplies its paths", lambda e: np.prod(np.stack(e.inputs), axis=0))
    yield Guess("gives the largest of its paths", lambda e: np.max(np.stack(e.inputs), axis=0))
    yield Guess(
        "concatenates its paths instead of adding them",
        lambda e: np.concatenate(e.inputs, axis=axis),
    )
    for k in range(count):
        yield Guess(f"gives path {k + 1} of {count} alone", partial(_path, k))
    how = getattr(evidence.node.layer, "how", "")
    if how == "add":
        yield from _sums_without(count)
    elif count <= 5:
        yield from _orders(count, axis)
        yield from _concatenated_along(count, evidence.x.ndim, axis)


def _path(k: int, e: LayerEvidence) -> np.ndarray:
    return e.inputs[k]


def _sums_without(count: int) -> Iterator[Guess]:
    for k in range(count):
        says = f"leaves path {k + 1} of {count} out"
        yield Guess(says, partial(_weighted_sum, k, 0))
        says = f"adds path {k + 1} of {count} twice"
        yield Guess(says, partial(_weighted_sum, k, 2))
        says = f"subtracts path {k + 1} of {count}"
        yield Guess(says, partial(_weighted_sum, k, -1))


def _weighted_sum(k: int, weight: int, e: LayerEvidence) -> np.ndarray:
    """The sum of all paths, path `k` counted so many times."""
    found: np.ndarray = _sum(e.inputs) + (weight - 1) * e.inputs[k]
    return found


def _orders(count: int, axis: int) -> Iterator[Guess]:
    for order in permutations(range(count)):
        if order != tuple(range(count)):
            said = ", ".join(str(k + 1) for k in order)
            yield Guess(
                f"concatenates its paths in the order {said}",
                partial(_concatenated, order, axis),
            )
    for k in range(count):
        yield Guess(
            f"has zeros for path {k + 1} of {count}",
            partial(_without_path, k, axis),
        )


def _concatenated(order: tuple[int, ...], axis: int, e: LayerEvidence) -> np.ndarray:
    return np.concatenate([e.inputs[k] for k in order], axis=axis)


def _without_path(k: int, axis: int, e: LayerEvidence) -> np.ndarray:
    parts = [np.zeros_like(x) if n == k else x for n, x in enumerate(e.inputs)]
    return np.concatenate(parts, axis=axis)


def _concatenated_along(count: int, dimensions: int, axis: int) -> Iterator[Guess]:
    for other in range(1, dimensions):
        if other != axis:
            says = f"concatenates its paths along their {axis_name(dimensions, other)}s"
            yield Guess(says, partial(_concatenated, tuple(range(count)), other))


def _sum(arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    total: Any = 0
    for array in arrays:
        total = total + array
    return np.asarray(total)


def _global_pool() -> Iterator[Guess]:
    yield Guess("gives each channel's largest value, not its mean", lambda e: e.x.max((2, 3)))
    yield Guess("gives each channel's sum, not its mean", lambda e: e.x.sum((2, 3)))
    yield Guess("gives each channel's first value", lambda e: e.x[:, :, 0, 0])
    yield Guess("gives the mean over channels and rows", lambda e: e.x.mean((1, 2)))
    yield Guess("gives the mean over channels and columns", lambda e: e.x.mean((1, 3)))


def _steps(x: np.ndarray) -> Iterator[Guess]:
    time = x.shape[1]
    yield Guess("gives the first step, not the last", lambda e: e.x[:, 0])
    yield Guess("gives the mean over all steps", lambda e: e.x.mean(1))
    yield Guess("gives the sum over all steps", lambda e: e.x.sum(1))
    yield Guess("gives the largest value over all steps", lambda e: e.x.max(1))
    for step in range(1, min(time - 1, 64)):
        yield Guess(f"gives step {step} of 0 … {time - 1}", partial(_step, step))


def _step(step: int, e: LayerEvidence) -> np.ndarray:
    return e.x[:, step]


def _ends(x: np.ndarray, one: int, other: int) -> np.ndarray:
    return np.concatenate([x[:, one], x[:, other]], axis=1)


def _dropout(evidence: LayerEvidence) -> Iterator[Guess]:
    """Some values dropped, and the others scaled: where, is read off."""
    x, y = evidence.x, evidence.observed
    if x.shape != y.shape or not np.isfinite(y).all() or evidence.training:
        return
    kept = y != 0
    share = float(kept[x != 0].mean()) if (x != 0).any() else 1.0
    if not 0.02 < share < 0.98 or kept.sum() < EQUATIONS:
        return
    scale = float((y * x)[kept].sum() / (x * x)[kept].sum())
    text, scale = rounded(scale, lambda c: c * x * kept, y, evidence.tolerance)
    yield Guess(
        f"drops {1 - share:.0%} of its numbers and multiplies the others by {text}",
        lambda e: scale * e.x * kept,
        1,
        name="dropout-in-prediction",
        whole=True,
    )
