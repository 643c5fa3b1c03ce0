"""Gradients to which something of the weights is added: L2 and L1 penalties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tensorstone.proof.measuring.factors import close, said, times
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.sentence import Sentence

_EQUATIONS = 4
_LEAST_PRECISE = 0.05  # relative


@dataclass(frozen=True)
class _Kind:
    """A penalty's gradient of one array's weights, its value, and how it is written."""

    slope: Callable[[np.ndarray], np.ndarray]
    value: Callable[[np.ndarray], float]
    added: str
    penalty: str
    halved: bool  # the value's factor is half of the gradient's
    name: str | None = None


def _plain(w: np.ndarray) -> np.ndarray:
    return w


_KINDS = (
    _Kind(_plain, lambda w: float(np.square(w).sum()), "w", "Σw²", True, "weight-decay"),
    _Kind(np.sign, lambda w: float(np.abs(w).sum()), "sign(w)", "Σ|w|", False),
    _Kind(
        lambda w: w / w.size,
        lambda w: float(np.square(w).mean()),
        "w/n, of an array of n weights,",
        "the mean of w²",
        True,
    ),
    _Kind(
        lambda w: w / (np.linalg.norm(w) or 1.0),
        lambda w: float(np.linalg.norm(w)),
        "w/‖w‖",
        "‖w‖",
        False,
    ),
)


def describe_penalty(evidence: GradientEvidence) -> Sentence | None:
    """A multiple of the weights is in the gradient of all arrays that differ."""
    found = [f for kind in _KINDS for f in [_one(evidence, kind)] if f]
    if len(found) > 1:  # a single array's w, w/n and w/‖w‖ are multiples of one another
        return found[0] if found[0].place else None
    return found[0] if found else _with_scale(evidence)


def _one(evidence: GradientEvidence, kind: _Kind) -> Sentence | None:
    wrong = evidence.wrong
    terms = {name: kind.slope(evidence.weights[name]) for name in wrong}
    gaps = {name: evidence.observed[name] - evidence.expected[name] for name in wrong}
    w, gap = evidence.stacked(wrong, terms), evidence.stacked(wrong, gaps)
    if np.count_nonzero(w) < _EQUATIONS:
        return None
    factor = float(w @ gap / (w @ w))
    assumed = {name: evidence.expected[name] + factor * terms[name] for name in wrong}
    error = evidence.error(assumed)
    precision = _precision(evidence, terms, factor)
    if error > evidence.tolerance or precision > _LEAST_PRECISE:
        return None
    return _said(evidence, kind, factor, max(precision * 0.3, 1e-9), error)


def _precision(evidence: GradientEvidence, terms: dict[str, np.ndarray], factor: float) -> float:
    """How well the factor is known, relative: by the array that shows it best."""
    shown = [
        abs(factor) * np.abs(term).max() / max(np.abs(evidence.expected[n]).max(), evidence.floor)
        for n, term in terms.items()
        if term.any()
    ]
    return evidence.tolerance / max(shown) if shown and max(shown) else np.inf


def _said(
    evidence: GradientEvidence, kind: _Kind, factor: float, precision: float, error: float
) -> Sentence:
    number = said(factor, precision, {"1/batch": 1 / evidence.batch})
    loss = _in_loss(evidence, kind, factor, precision)
    blank = {n for n in evidence.order if not evidence.weights[n].any()}
    able = [n for n in evidence.order if n not in blank]
    where = group(evidence.wrong, able)
    if where.place and len(able) > 1:
        text = f"has {number} · {kind.added} added to its gradient{loss}"
        return Sentence(text, error, kind.name, where.place)
    text = f"{number} · {kind.added} is added to the gradient of {where.of}{loss}"
    return Sentence(text, error, kind.name)


def _in_loss(evidence: GradientEvidence, kind: _Kind, factor: float, precision: float) -> str:
    if evidence.observed_loss is None:
        return ""
    multiple = factor / 2 if kind.halved else factor
    total = multiple * sum(kind.value(evidence.weights[name]) for name in evidence.wrong)
    shown = abs(total) > 100 * evidence.loss_tolerance * abs(evidence.expected_loss)
    if not shown:
        return ""
    if close(evidence.observed_loss, evidence.expected_loss + total, evidence.loss_tolerance):
        return f", and {said(multiple, precision)} · {kind.penalty} to the loss"
    if close(evidence.observed_loss, evidence.expected_loss, evidence.loss_tolerance):
        return ", and nothing to the loss"
    return ""


def _with_scale(evidence: GradientEvidence) -> Sentence | None:
    """Every gradient is scaled, and has a multiple of its weights too."""
    names = evidence.seen
    e, w, o = (
        evidence.stacked(names, arrays)
        for arrays in (evidence.expected, evidence.weights, evidence.observed)
    )
    if np.count_nonzero(w) < 2 * _EQUATIONS:
        return None
    scale, decay = np.linalg.lstsq(np.stack([e, w], axis=1), o, rcond=None)[0]
    assumed = {n: scale * evidence.expected[n] + decay * evidence.weights[n] for n in names}
    error = evidence.error(assumed)
    shown = abs(decay) * np.abs(w).max() / (abs(scale) * np.abs(e).max() or 1.0)
    precision = evidence.tolerance / shown if shown else np.inf
    if error > evidence.tolerance or precision > _LEAST_PRECISE or abs(scale - 1) < 1e-2:
        return None
    many = times(scale, evidence.tolerance, evidence.named)
    number = said(decay, max(precision * 0.3, 1e-9))
    text = f"every gradient is {many} what the model says, and has {number} · w added"
    return Sentence(text, error)
