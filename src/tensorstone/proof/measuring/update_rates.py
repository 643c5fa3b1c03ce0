"""Learning rates: steps that are multiples of the model's, and the multiples have an order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensorstone.models.recipe import Momentum, RMSprop
from tensorstone.proof.measuring.factors import close, said, times
from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.update_evidence import UpdateEvidence
from tensorstone.proof.measuring.update_schedules import schedule
from tensorstone.proof.measuring.update_search import UpdateCase, scoped
from tensorstone.proof.measuring.update_steps import Steps
from tensorstone.proof.measuring.update_table import LEAST, Table, table

_FAR = 10.0  # precisions between a multiple and one
_EQUATIONS = 4
_MANY = 4  # groups of arrays that are told apart


def describe_rates(case: UpdateCase) -> Sentence | None:
    """One rate, a rate for each group of arrays, or one for each update."""
    found = rate_table(case)
    if found is None:
        return _inside_velocity(case)
    return _one(case, found) or _groups(case, found) or _scheduled(case, found)


def rate_table(case: UpdateCase) -> Table | None:
    """Of the arrays that show something."""
    found = _table(case, case.many)
    if found is None or np.isfinite(found.ratio).sum() < _EQUATIONS:
        return None
    seen = [n for k, n in enumerate(found.names) if np.isfinite(found.ratio[:, k]).any()]
    return found.of(seen)


def _table(case: UpdateCase, s: Steps) -> Table | None:
    own = case.model
    found = table(s, own.predicted(s), own.family.allowed(s))
    if found is None and not case.evidence.single:
        found = table(s, case.rounded_model.predicted(s), own.family.allowed(s))
    return found


def _one(case: UpdateCase, found: Table) -> Sentence | None:
    joined = found.joined(None)
    if joined is None:
        return None
    value, precision = float(joined[0]), float(joined[1])
    rate, residual = case.evidence.optimiser.rate, case.evidence.tolerance
    if not far(value, precision):
        return None
    if abs(value) <= precision:
        return Sentence("nothing is trained: no weight ever changes", residual)
    if close(value, -1.0, precision):
        return Sentence("steps have the wrong sign: they go up the gradient", residual)
    new = f"{'−' if value < 0 else ''}{said(abs(value) * rate, precision / abs(value))}"
    text = f"the learning rate is {new}, not {rate:g}"
    optimiser = case.evidence.optimiser
    if isinstance(optimiser, Momentum) and close(value, 1 - optimiser.momentum, precision):
        text = (
            f"every step is {said(value, precision)} of the model's: the learning rate is {new}, "
            f"not {rate:g}, or the velocity takes (1 − momentum) of the gradient"
        )
        return Sentence(text, residual)
    return Sentence(text, residual, "learning-rate" if value > 0 else None)


def far(value: float, precision: float) -> bool:
    return abs(value - 1) > max(_FAR * precision, 4 * LEAST)


def _groups(case: UpdateCase, found: Table) -> Sentence | None:
    """Every array keeps its own rate in all updates."""
    joined = found.joined(0)
    if joined is None:
        return None
    values, precisions = joined
    changed = [k for k in range(len(found.names)) if far(values[k], precisions[k])]
    groups: list[list[int]] = []
    for k in changed:
        for one in groups:
            if abs(values[k] - values[one[0]]) <= 2 * (precisions[k] + precisions[one[0]]):
                one.append(k)
                break
        else:
            groups.append([k])
    residual = case.evidence.tolerance
    if len(groups) == 1:
        return _group(case, found, groups[0], values, precisions)
    if not groups or len(groups) > _MANY:
        return None
    parts = []
    for one in groups:
        where = group([found.names[k] for k in one], found.names)
        value, precision = float(values[one[0]]), float(min(precisions[one]))
        if abs(value) <= precision:
            parts.append(f"0 in {where.of}")
        else:
            number = said(value, precision / abs(value))
            parts.append(f"{number} times the model's in {where.of}")
    rest = "" if len(changed) == len(found.names) else "; the others have the model's"
    return Sentence(f"the learning rate is {' and '.join(parts)}{rest}", residual)


def _group(
    case: UpdateCase, found: Table, own: list[int], values: np.ndarray, precisions: np.ndarray
) -> Sentence:
    where = group([found.names[k] for k in own], found.names)
    best = min(own, key=lambda k: precisions[k])
    value, precision = float(values[best]), float(precisions[best])
    rate, residual = case.evidence.optimiser.rate, case.evidence.tolerance
    placed = where.kind in ("array", "layer")
    if abs(value) <= precision:
        if placed:
            return Sentence("is not trained: it never changes", residual, None, where.place)
        return Sentence(f"{where.of}: not trained, these never change", residual)
    many = times(value, precision / abs(value))
    new = said(abs(value) * rate, precision / abs(value))
    numbers = f"{'−' if value < 0 else ''}{new}, not {rate:g}"
    if placed:
        text = f"is updated with {many} the model's learning rate ({numbers})"
        return Sentence(text, residual, None, where.place)
    text = f"the learning rate of {where.of} is {many} the model's ({numbers})"
    return Sentence(f"{text}; the others are right", residual)


def _scheduled(case: UpdateCase, found: Table) -> Sentence | None:
    """The same arrays have another rate in each update."""
    changed = [
        name
        for k, name in enumerate(found.names)
        if any(
            far(r, p)
            for r, p in zip(found.ratio[:, k], found.precision[:, k], strict=True)
            if np.isfinite(r)
        )
    ]
    joined = found.of(changed).joined(1) if changed else None
    if joined is None:
        return None
    ratio, precision = joined
    text = _model_decays(case.evidence, ratio, precision) or schedule(ratio, precision)
    where = group(changed, found.names)
    return (text and scoped(text, None, where, case.evidence.tolerance)) or None


def _model_decays(evidence: UpdateEvidence, ratio: np.ndarray, error: np.ndarray) -> str | None:
    """The model's own rate falls: by another decay, or not at all."""
    o = evidence.optimiser
    if not isinstance(o, RMSprop) or not o.decay:
        return None
    t = np.arange(len(ratio))
    meant = 1 / (1 + o.decay * t)
    joined = Table(("",), (ratio * meant)[:, None], (error * meant)[:, None]).joined(None)
    if joined is not None and abs(float(joined[0]) - 1) <= _FAR * float(joined[1]):
        return f"the learning rate does not fall: the model's decay of {o.decay:g} is left out"
    text = schedule(ratio * meant, error * meant)
    return f"{text}, where the model's falls as 1/(1 + {o.decay:g}·t)" if text else None


def _inside_velocity(case: UpdateCase) -> Sentence | None:
    """The rate is multiplied into what the velocity takes, and changes: v ← momentum·v + rate·g."""
    o, s = case.evidence.optimiser, case.many
    if not isinstance(o, Momentum):
        return None
    taken, v = np.empty_like(s.d), np.zeros_like(s.d[0])
    for t, d in enumerate(s.d):
        taken[t] = d - o.momentum * v
        if o.nesterov:
            taken[t] = (d - o.momentum**2 * v) / (1 + o.momentum)
        v = o.momentum * v + taken[t]
    allowed = 2 * np.maximum.accumulate(s.allowed, axis=0)
    found = table(replace(s, d=taken), o.rate * s.g, allowed)
    joined = found.joined(1) if found else None
    text = schedule(*joined) if joined else None
    if text is None:
        return None
    text = f"{text}, and is multiplied into what the velocity takes"
    return Sentence(text, case.evidence.tolerance)
