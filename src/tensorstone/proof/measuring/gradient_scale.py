"""Gradients that are a multiple of what they should be: all, some, or from a place downwards."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tensorstone.proof.measuring.factors import close, is_round, name_of, said, times
from tensorstone.proof.measuring.gradient_evidence import SEEN, GradientEvidence
from tensorstone.proof.measuring.groups import ArrayGroup, group, layer_of
from tensorstone.proof.measuring.sentence import Sentence

_EQUATIONS = 4  # numbers that must show a factor
_GUARD = 1e-5  # what clipping adds to a norm before it divides by it changes it by less
_APART = 10.0  # tolerances between a factor and one


@dataclass(frozen=True)
class _Factor:
    """What some arrays' gradients are multiplied by."""

    value: float
    names: tuple[str, ...]
    error: float

    @property
    def precision(self) -> float:
        return self.error


def describe_scale(evidence: GradientEvidence) -> Sentence | None:
    """Every array is its own multiple of what it should be, and the multiples are simple."""
    factors = _factors(evidence)
    if factors is None:
        return None
    changed = [f for f in factors if f.value != 1.0]
    if not changed:
        return None
    if len(factors) == 1:
        return _everywhere(evidence, changed[0])
    if len(changed) == 1 and _equations(evidence, changed[0].names) >= _EQUATIONS:
        return _somewhere(evidence, changed[0])
    return _norm_of_each(evidence, factors) or _per_layer(evidence, factors)


def _factors(evidence: GradientEvidence) -> list[_Factor] | None:
    """The arrays by their factor; None where one is no multiple of what it should be."""
    alone = []
    for name in evidence.seen:
        o, e = evidence.observed[name].ravel(), evidence.expected[name].ravel()
        value = float(o @ e / (e @ e))
        if not o.any():
            value = 0.0
        size = max(float(np.abs(e).max()), evidence.floor)
        error = float(np.abs(o - value * e).max() / (abs(value) * size or 1.0))
        if error > evidence.tolerance:
            return None
        alone.append(_Factor(value, (name,), error))
    if not _quiet(evidence, max((abs(f.value) for f in alone), default=1.0)):
        return None
    merged: list[_Factor] = []
    for one in alone:
        _merge(evidence, merged, one)
    return merged


def _quiet(evidence: GradientEvidence, factor: float) -> bool:
    """Arrays that should show nothing but rounding show no more than that."""
    most = SEEN * evidence.tolerance * evidence.floor * max(factor, 1.0)
    rest = set(evidence.order) - set(evidence.seen)
    return all(np.abs(evidence.observed[name]).max(initial=0.0) <= 2 * most for name in rest)


def _merge(evidence: GradientEvidence, merged: list[_Factor], one: _Factor) -> None:
    """Put an array to those of the same factor."""
    if abs(one.value - 1) <= _APART * evidence.tolerance:
        one = _Factor(1.0, one.names, one.error)
    for place, other in enumerate(merged):
        apart = abs(one.value - other.value)
        if apart <= 2 * evidence.tolerance * max(abs(one.value), abs(other.value)):
            names = (*other.names, *one.names)
            value = 1.0 if 1.0 in (one.value, other.value) else _joint(evidence, names)
            merged[place] = _Factor(value, names, max(one.error, other.error))
            return
    merged.append(one)


def _joint(evidence: GradientEvidence, names: Iterable[str]) -> float:
    o, e = (evidence.stacked(names, a) for a in (evidence.observed, evidence.expected))
    return float(o @ e / (e @ e))


def _equations(evidence: GradientEvidence, names: Iterable[str]) -> int:
    return sum(evidence.expected[name].size for name in names)


def _everywhere(evidence: GradientEvidence, factor: _Factor) -> Sentence | None:
    if _equations(evidence, factor.names) < _EQUATIONS:
        return None
    if factor.value == 0:
        return Sentence("nothing is trained: no array gets any gradient", 0.0)
    found = (
        _function_of_loss(evidence, factor)
        or _with_the_loss(evidence, factor)
        or _clipped(evidence, factor)
    )
    if found:
        return found
    text = f"every gradient is {_times(evidence, factor)} what the model says"
    if evidence.loss_ratio is None:
        return Sentence(text, factor.error)
    if _is_loss(evidence, evidence.expected_loss):
        return Sentence(f"{text}, the loss is right", factor.error, "scaled-gradient")
    ratio = times(evidence.loss_ratio, evidence.loss_tolerance, evidence.named)
    return Sentence(f"{text}, the loss it reports is {ratio} the model's", factor.error)


def _times(evidence: GradientEvidence, factor: _Factor) -> str:
    return times(factor.value, max(factor.precision, 1e-9), evidence.named)


def _is_loss(evidence: GradientEvidence, value: float) -> bool:
    observed = evidence.observed_loss
    return observed is not None and close(observed, value, evidence.loss_tolerance)


def _function_of_loss(evidence: GradientEvidence, factor: _Factor) -> Sentence | None:
    """The root or the logarithm of the loss in its place: the factor is its slope."""
    given = evidence.expected_loss
    if given <= 0:
        return None
    root, logarithm = math.sqrt(given), math.log(given)
    for of, value, slope in (
        ("square root", root, 0.5 / root),
        ("logarithm", logarithm, 1 / given),
    ):
        if close(factor.value, slope, evidence.tolerance) and _is_loss(evidence, value):
            return Sentence(f"the loss is the {of} of what the model says", factor.error)
    return None


def _with_the_loss(evidence: GradientEvidence, factor: _Factor) -> Sentence | None:
    """The loss is scaled as the gradients are."""
    if not _is_loss(evidence, factor.value * evidence.expected_loss):
        return None
    text = f"the loss, and so every gradient, is {_times(evidence, factor)} what the model says"
    width = evidence.outputs.size // len(evidence.outputs)
    names = {"sum-over-batch": float(evidence.batch)}
    if evidence.loss != "softmax-cross-entropy" and width > 1:
        names["sum-over-outputs"] = float(width)
    if evidence.loss == "mean-squared":
        names["half-squared-loss"] = 0.5
    if evidence.loss == "half-squared":
        names = {"full-squared-loss": 2.0, **names}
    name = name_of(factor.value, max(factor.precision, 1e-9), names)
    return Sentence(text, factor.error, name or None)


def _clipped(evidence: GradientEvidence, factor: _Factor) -> Sentence | None:
    """All gradients together have a round norm, and the factor is no plain number."""
    precision = max(factor.precision, 1e-9)
    if factor.value <= 0 or is_round(factor.value, precision):
        return None
    if name_of(factor.value, precision, evidence.named):
        return None
    norm = float(np.sqrt(sum(np.square(o).sum() for o in evidence.observed.values())))
    precision = max(precision, _GUARD)
    if not is_round(norm, precision):
        return None
    how = "clipped" if factor.value < 1 else "brought"
    said_norm = said(norm, precision)
    return Sentence(f"gradients are {how} to a norm of {said_norm} over all arrays", factor.error)


def _somewhere(evidence: GradientEvidence, factor: _Factor) -> Sentence:
    """Some arrays by one factor, the others as they should be."""
    where = group(factor.names, evidence.seen)
    if factor.value == 0:
        return _nothing(where)
    many = _times(evidence, factor)
    if where.kind == "before":
        text = (
            f"gets a gradient that is {many} what the model says, and so does all before it: "
            f"it is scaled on the way down from {where.next}"
        )
        return Sentence(text, factor.error, place=where.place)
    if where.place:
        text = f"gets a gradient that is {many} what the model says"
        return Sentence(text, factor.error, place=where.place)
    text = f"the gradient of {where.of} is {many} what the model says; the others are right"
    return Sentence(text, factor.error)


def _nothing(where: ArrayGroup) -> Sentence:
    if where.kind == "before":
        text = f"gets no gradient, nor does anything before it: the gradient stops at {where.next}"
        return Sentence(text, 0.0, "gradient-blocked", where.place)
    if where.place:
        return Sentence("gets no gradient and stays as it is", 0.0, place=where.place)
    return Sentence(f"{where.of} gets no gradient; the others are right", 0.0)


def _norm_of_each(evidence: GradientEvidence, factors: list[_Factor]) -> Sentence | None:
    """Every array that differs has the same norm."""
    changed = [n for f in factors if f.value != 1.0 for n in f.names]
    norms = [float(np.linalg.norm(evidence.observed[name])) for name in changed]
    limit = float(np.median(norms))
    precision = max(10 * max(f.error for f in factors), _GUARD)
    if len(changed) < 3 or not all(close(norm, limit, precision) for norm in norms):
        return None
    least = min(f.value for f in factors)
    others = (n for f in factors if f.value == 1.0 for n in f.names)
    inside = all(
        np.linalg.norm(evidence.expected[name]) <= limit * (1 + precision) for name in others
    )
    if not inside or least <= 0:
        return None
    clipped = all(f.value <= 1 for f in factors)
    how = "clipped" if clipped else "brought"
    text = f"each array's gradient is {how} to a norm of {said(limit, precision)}"
    return Sentence(text, max(f.error for f in factors))


def _per_layer(evidence: GradientEvidence, factors: list[_Factor]) -> Sentence | None:
    """From layer to layer down the same factor again."""
    by_name = {name: f.value for f in factors for name in f.names}
    by_layer: dict[str, set[float]] = {}
    for name in reversed(evidence.seen):
        by_layer.setdefault(layer_of(name), set()).add(by_name[name])
    values = [min(found) for found in by_layer.values() if len(found) == 1]
    if len(values) != len(by_layer) or len(values) < 4 or min(map(abs, values)) == 0:
        return None
    ratios = [below / above for above, below in pairwise(values)]
    precision = 4 * max(evidence.tolerance, 1e-9)
    same = all(close(ratio, ratios[0], precision) for ratio in ratios)
    if values[0] not in (1.0, ratios[0]) or ratios[0] == 1.0 or not same:
        return None
    many = times(ratios[0], precision)
    text = f"each layer passes on {many} the gradient that it should, from the loss downwards"
    return Sentence(text, max(f.error for f in factors))
