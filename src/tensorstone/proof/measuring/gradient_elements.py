"""Gradients changed element by element: clipped, their signs taken, rows left out, centred."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tensorstone.oracle.case import Arrays
from tensorstone.proof.measuring.factors import said, times
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.sentence import Sentence

_EQUATIONS = 4


def describe_elements(evidence: GradientEvidence) -> Sentence | None:
    return _signs(evidence) or _clipped(evidence) or _centred(evidence) or _rows(evidence)


def _fits(evidence: GradientEvidence, assumed: Mapping[str, np.ndarray]) -> float | None:
    error = evidence.error(assumed)
    return error if error <= evidence.tolerance else None


def _signs(evidence: GradientEvidence) -> Sentence | None:
    """Every gradient that is not zero has one size."""
    names = evidence.seen
    sizes = np.abs(evidence.stacked(names, evidence.observed))
    sizes = sizes[sizes > 0]
    if len(sizes) < _EQUATIONS or np.ptp(sizes) > evidence.tolerance * sizes.max():
        return None
    size = float(np.median(sizes))
    for name in names:  # a gradient of rounding noise may have any sign
        e, o = evidence.expected[name], evidence.observed[name]
        sure = np.abs(e) > evidence.tolerance * max(np.abs(e).max(), evidence.floor)
        if (np.sign(o) != np.sign(e))[sure].any():
            return None
    many = "" if abs(size - 1) < 1e-6 else f"{said(size, evidence.tolerance)} times "
    error = float(np.ptp(sizes) / size)
    return Sentence(f"every gradient is {many}its sign alone", error)


def _clipped(evidence: GradientEvidence) -> Sentence | None:
    """No number is larger than a limit, and the smaller ones are as they should be."""
    o, e = (evidence.stacked(evidence.order, a) for a in (evidence.observed, evidence.expected))
    most = float(np.abs(o).max())
    over = np.abs(e) > most * (1 + 10 * evidence.tolerance)
    under = np.abs(e) < most * (1 - 10 * evidence.tolerance)
    if np.count_nonzero(over) < _EQUATIONS or np.count_nonzero(under & (e != 0)) < _EQUATIONS:
        return None
    limit = float(np.abs(o[over]).mean())
    error = _fits(
        evidence, {n: np.clip(evidence.expected[n], -limit, limit) for n in evidence.order}
    )
    if error is None:
        return None
    return Sentence(f"gradients are clipped to ±{said(limit, evidence.tolerance)}", error)


def _centred(evidence: GradientEvidence) -> Sentence | None:
    """The mean over each output's numbers is taken out of every array of two axes or more."""
    assumed: Arrays = {}
    for name in evidence.wrong:
        e = evidence.expected[name]
        if e.ndim < 2:
            return None
        assumed[name] = e - e.mean(axis=tuple(range(1, e.ndim)), keepdims=True)
    error = _fits(evidence, assumed)
    if error is None:
        return None
    where = group(evidence.wrong, [n for n in evidence.seen if evidence.expected[n].ndim > 1])
    text = f"each output's mean is taken out of the gradient of {where.of}"
    return Sentence(text, error)


def _rows(evidence: GradientEvidence) -> Sentence | None:
    """Some rows (or columns) are a multiple of what they should be, the others are right."""
    if len(evidence.wrong) != 1:
        return None
    name = evidence.wrong[0]
    e, o = evidence.expected[name], evidence.observed[name]
    if name in evidence.counts:
        rare = np.maximum(evidence.counts[name], 1)[:, None]
        error = _fits(evidence, {name: e / rare})
        if error is not None:
            text = "has each row's gradient divided by how often its token is in the batch"
            return Sentence(text, error, place=name)
    for axis, what in enumerate(("row", "column")[: e.ndim]):
        expected, observed = (np.moveaxis(a, axis, 0).reshape(e.shape[axis], -1) for a in (e, o))
        found = _lines(evidence, expected, observed, what)
        if found:
            return Sentence(found[0], found[1], place=name)
    return None


def _lines(
    evidence: GradientEvidence, e: np.ndarray, o: np.ndarray, what: str
) -> tuple[str, float] | None:
    allowed = evidence.tolerance * max(float(np.abs(e).max()), evidence.floor)
    other = np.abs(o - e).max(axis=1) > allowed
    if other.all():
        return None
    if not o[other].any():
        factor = 0.0
    else:
        factor = float((o[other] * e[other]).sum() / np.square(e[other]).sum())
        if e[other].size < _EQUATIONS or e.shape[1] < 2:
            return None
    error = float(np.abs(o - np.where(other[:, None], factor * e, e)).max())
    if error > allowed * (abs(factor) or 1.0):
        return None
    lines = _numbered(what, np.flatnonzero(other))
    if factor == 0:
        return f"has no gradient in {lines}", 0.0
    many = times(factor, evidence.tolerance, evidence.named)
    text = f"has a gradient in {lines} that is {many} what the model says"
    return text, evidence.tolerance * error / (allowed or 1.0)


def _numbered(what: str, places: np.ndarray) -> str:
    first, last = int(places[0]), int(places[-1])
    if len(places) == 1:
        return f"{what} {first}"
    if last - first + 1 == len(places):
        return f"{what}s {first} to {last}"
    return f"{len(places)} {what}s, {first} the first"
