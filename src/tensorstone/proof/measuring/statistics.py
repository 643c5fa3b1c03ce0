"""Batch normalisation: which statistics, which epsilon, and how the running ones move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from tensorstone.models import layers as L
from tensorstone.proof.measuring.axes import along
from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.fitting import fitted
from tensorstone.proof.measuring.guesses import Guess
from tensorstone.proof.measuring.running_statistics import describe_statistics

__all__ = ["batch_norm_guesses", "describe_statistics"]

# How an epsilon joins a variance to give what is divided by.
_INSIDE = "inside the root"
_OUTSIDE = "outside the root"
_GREATER = "as the variance's least value"
_ROOTS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    _INSIDE: lambda v, epsilon: np.sqrt(v + epsilon),
    _OUTSIDE: lambda v, epsilon: np.sqrt(v) + epsilon,
    _GREATER: lambda v, epsilon: np.sqrt(np.maximum(v, epsilon)),
}
_STEPS = (1e-2, 1e-3, 1e-5)


def batch_norm_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    layer = evidence.node.layer
    if not isinstance(layer, L.BatchNorm):
        return
    yield from _without(layer)
    yield from _other_statistics(evidence, layer)
    yield from _epsilons(evidence, layer)


def _moments(e: LayerEvidence, batch: bool, unbiased: bool = False) -> tuple[Any, Any]:
    """Mean and variance, of the batch or running, shaped to broadcast."""
    if not batch:
        mean, variance = e.weights["mean"], e.weights["variance"]
        return along(mean, e.x.ndim, 1), along(variance, e.x.ndim, 1)
    axes = (0, *range(2, e.x.ndim))
    variance = e.x.var(axes, keepdims=True, ddof=1 if unbiased else 0)
    return e.x.mean(axes, keepdims=True), variance


def _scaled(e: LayerEvidence, normal: np.ndarray, gamma: bool = True, beta: bool = True) -> Any:
    y = normal * along(e.weights["gamma"], e.x.ndim, 1) if gamma else normal
    return y + along(e.weights["beta"], e.x.ndim, 1) if beta else y


def _without(layer: L.BatchNorm) -> Iterator[Guess]:
    """Parts left out."""

    def normal(e: LayerEvidence) -> np.ndarray:
        mean, variance = _moments(e, e.training)
        found: np.ndarray = (e.x - mean) / np.sqrt(variance + layer.epsilon)
        return found

    def undivided(e: LayerEvidence) -> Any:
        return _scaled(e, e.x - _moments(e, e.training)[0])

    def uncentred(e: LayerEvidence) -> Any:
        return _scaled(e, e.x / np.sqrt(_moments(e, e.training)[1] + layer.epsilon))

    def by_variance(e: LayerEvidence) -> Any:
        mean, variance = _moments(e, e.training)
        return _scaled(e, (e.x - mean) / (variance + layer.epsilon))

    yield Guess("leaves gamma out", lambda e: _scaled(e, normal(e), gamma=False), whole=True)
    yield Guess("leaves beta out", lambda e: _scaled(e, normal(e), beta=False), whole=True)
    yield Guess("leaves gamma and beta out", normal, whole=True)
    yield Guess(
        "multiplies by 1 + gamma, not by gamma",
        lambda e: _scaled(e, normal(e)) + normal(e),
        whole=True,
    )
    yield Guess(
        "takes beta for gamma and gamma for beta", lambda e: _swapped(e, normal(e)), whole=True
    )
    yield Guess("does not divide by the deviation", undivided, whole=True)
    yield Guess("does not subtract the mean", uncentred, whole=True)
    yield Guess("neither subtracts the mean nor divides", lambda e: _scaled(e, e.x))
    yield Guess("divides by the variance, not by its root", by_variance, whole=True)


def _swapped(e: LayerEvidence, normal: np.ndarray) -> Any:
    gamma, beta = (along(e.weights[role], e.x.ndim, 1) for role in ("gamma", "beta"))
    return normal * beta + gamma


def _other_statistics(evidence: LayerEvidence, layer: L.BatchNorm) -> Iterator[Guess]:
    def of(batch: bool, unbiased: bool) -> Callable[[LayerEvidence], np.ndarray]:
        def compute(e: LayerEvidence) -> Any:
            mean, variance = _moments(e, batch, unbiased)
            return _scaled(e, (e.x - mean) / np.sqrt(variance + layer.epsilon))

        return compute

    if evidence.training:
        says, name = "divides by the unbiased deviation", "batchnorm-unbiased-variance"
        yield Guess(says, of(True, True), name=name, whole=True)
        yield Guess("normalises with the running statistics, in training", of(False, False))
    else:
        says, name = "normalises with the batch's own statistics", "batch-statistics-in-prediction"
        yield Guess(says, of(True, False), name=name, whole=True)
        yield Guess(f"{says} (the unbiased variance)", of(True, True), name=name, whole=True)
    n, dimensions = len(evidence.x), evidence.x.ndim
    every = tuple(range(1, dimensions))
    kinds = [("over each sample, as layer normalisation does", every)]
    if dimensions == 4:
        kinds.append(("over each map of each sample, as instance normalisation does", (2, 3)))
        kinds.append(("each position over its channels", (1,)))
        kinds.append(("each position over the batch", (0,)))
        kinds.append(("over the whole batch, all channels together", (0, 1, 2, 3)))
    for said, axes in kinds:
        yield Guess(f"normalises {said}", partial(_over, axes, layer), whole=0 in axes)
    for parts in (2, 4, 8):
        if n % parts == 0 and n // parts > 1:
            says = f"normalises with the statistics of each {n // parts} samples of {n}"
            yield Guess(says, partial(_in_parts, parts, layer), whole=True)


def _over(axes: tuple[int, ...], layer: L.BatchNorm, e: LayerEvidence) -> Any:
    mean, variance = e.x.mean(axes, keepdims=True), e.x.var(axes, keepdims=True)
    return _scaled(e, (e.x - mean) / np.sqrt(variance + layer.epsilon))


def _in_parts(parts: int, layer: L.BatchNorm, e: LayerEvidence) -> Any:
    axes = (0, *range(2, e.x.ndim))
    pieces = [
        (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + layer.epsilon)
        for x in np.split(e.x, parts)
    ]
    return _scaled(e, np.concatenate(pieces))


def _epsilons(evidence: LayerEvidence, layer: L.BatchNorm) -> Iterator[Guess]:
    """Another epsilon, or the same in another place, with either of the statistics."""
    if evidence.observed.shape != evidence.x.shape or not np.isfinite(evidence.observed).all():
        return
    sources = [(evidence.training, False)]
    sources += [(True, True)] if evidence.training else [(True, False)]
    for (batch, unbiased), where in product(sources, _ROOTS):
        note = ""
        if (batch, unbiased) != sources[0]:
            note = " and the unbiased deviation" if unbiased else " and the batch's own statistics"
        compute = _normalised(where, batch, unbiased)
        if where != _INSIDE:
            says = f"has its epsilon {layer.epsilon:g} {where}{note}"
            yield Guess(says, partial(compute, layer.epsilon), whole=True)
        fit = _fitted_epsilon(evidence, compute)
        if fit is not None:
            text, epsilon = fit
            place = f" {where}" if where != _INSIDE else ""
            says = f"has epsilon {text}{place}, not {layer.epsilon:g}{note}"
            name = "batchnorm-epsilon" if where == _INSIDE and not note else None
            yield Guess(says, partial(compute, epsilon), 1, name, whole=True)


def _normalised(where: str, batch: bool, unbiased: bool) -> Callable[[float, LayerEvidence], Any]:
    def compute(epsilon: float, e: LayerEvidence) -> Any:
        mean, variance = _moments(e, batch, unbiased)
        return _scaled(e, (e.x - mean) / _ROOTS[where](variance, epsilon))

    return compute


def _fitted_epsilon(
    evidence: LayerEvidence, compute: Callable[[float, LayerEvidence], Any]
) -> tuple[str, float] | None:
    for start in _STEPS:
        found = fitted(
            lambda epsilon: compute(abs(epsilon), evidence),
            (start,),
            evidence.observed,
            evidence.tolerance * 1e-2,
        )
        if found is not None and abs(found[0]) > 1e-12:
            return rounded(
                abs(found[0]),
                lambda epsilon: compute(epsilon, evidence),
                evidence.observed,
                evidence.tolerance,
            )
    return None
