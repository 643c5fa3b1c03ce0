"""Steps that are multiples of the model's: each array's and each update's learning rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.models.recipe import Momentum, RMSprop
from tensorstone.proof.measuring.factors import close, is_round, said, times
from tensorstone.proof.measuring.finding import Finding
from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.update_evidence import UpdateEvidence
from tensorstone.proof.measuring.update_schedules import schedule
from tensorstone.proof.measuring.update_search import Case, scoped
from tensorstone.proof.measuring.update_steps import Steps

_LEAST = 2.5e-7  # relative: rates are kept in float32
_FAR = 10.0  # precisions between a multiple and one
_EQUATIONS = 4
_MANY = 4  # groups of arrays that are told apart


@dataclass(frozen=True)
class Table:
    """What each array's step is multiplied by in each update: (T, A); NaN where nothing shows."""

    names: tuple[str, ...]
    ratio: np.ndarray
    precision: np.ndarray

    def of(self, names: list[str]) -> Table:
        kept = [self.names.index(name) for name in names]
        return Table(tuple(names), self.ratio[:, kept], self.precision[:, kept])

    def joined(self, axis: int | None) -> tuple[np.ndarray, np.ndarray] | None:
        """The one multiple along an axis, and its precision; None where there is none."""
        weight = np.where(np.isfinite(self.ratio), 1 / np.square(self.precision), 0.0)
        total = weight.sum(axis)
        mean = (weight * np.nan_to_num(self.ratio)).sum(axis) / np.where(total > 0, total, np.nan)
        wide = mean if axis in (None, 0) else mean[:, None]
        gap = np.abs(self.ratio - wide)
        if (gap > 2 * self.precision).any():
            return None
        least = np.where(np.isfinite(self.ratio), self.precision, np.inf).min(axis)
        return np.asarray(mean), np.asarray(least)


def table(s: Steps, model: np.ndarray, allowed: np.ndarray, worst: float = 1.0) -> Table | None:
    """None where a step is no multiple of the model's."""
    count, arrays = s.count, len(s.names)
    ratio, precision = (np.full((count, arrays), np.nan) for _ in range(2))
    for k in range(arrays):
        own = s.of == k
        for t in range(count):
            u, d, error = model[t, own], s.d[t, own], allowed[t, own]
            x, y = u / error, d / error
            square = float(x @ x)
            if np.abs(x).max(initial=0.0) < 100:  # nothing shows but rounding
                if np.abs(y).max(initial=0.0) > 100:
                    return None
                continue
            value = float(x @ y) / square
            if not float(np.abs(y - value * x).max()) <= worst:
                return None
            ratio[t, k] = value
            precision[t, k] = max(1 / float(np.abs(x).max()), _LEAST * max(abs(value), 1e-6))
    return Table(s.names, ratio, precision)


def describe_rates(case: Case) -> Finding | None:
    """One rate, a rate for each group of arrays, or one for each update."""
    found = _table(case, case.many)
    if found is None or np.isfinite(found.ratio).sum() * case.many.count < _EQUATIONS:
        return None
    seen = [n for k, n in enumerate(found.names) if np.isfinite(found.ratio[:, k]).any()]
    if not seen:
        return None
    found = found.of(seen)
    return (
        _one(case, found)
        or _groups(case, found)
        or _scheduled(case, found)
        or _inside_velocity(case)
        or _norms(case, found)
    )


def _table(case: Case, s: Steps) -> Table | None:
    own = case.model
    found = table(s, own.predicted(s), own.family.allowed(s))
    if found is None and not case.evidence.single:
        found = table(s, case.rounded_model.predicted(s), own.family.allowed(s))
    return found


def _one(case: Case, found: Table) -> Finding | None:
    joined = found.joined(None)
    if joined is None:
        return None
    value, precision = float(joined[0]), float(joined[1])
    rate, residual = case.evidence.optimiser.rate, case.evidence.tolerance
    if not _far(value, precision):
        return None
    if abs(value) <= precision:
        return Finding("nothing is trained: no weight ever changes", residual)
    if close(value, -1.0, precision):
        return Finding("steps have the wrong sign: they go up the gradient", residual)
    new = f"{'−' if value < 0 else ''}{said(abs(value) * rate, precision / abs(value))}"
    text = f"the learning rate is {new}, not {rate:g}"
    optimiser = case.evidence.optimiser
    if isinstance(optimiser, Momentum) and close(value, 1 - optimiser.momentum, precision):
        text = (
            f"every step is {said(value, precision)} of the model's: the learning rate is {new}, "
            f"not {rate:g}, or the velocity takes (1 − momentum) of the gradient"
        )
        return Finding(text, residual)
    return Finding(text, residual, "learning-rate" if value > 0 else None)


def _far(value: float, precision: float) -> bool:
    return abs(value - 1) > max(_FAR * precision, 4 * _LEAST)


def _groups(case: Case, found: Table) -> Finding | None:
    """Every array keeps its own rate in all updates."""
    joined = found.joined(0)
    if joined is None:
        return None
    values, precisions = joined
    changed = [k for k in range(len(found.names)) if _far(values[k], precisions[k])]
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
    return Finding(f"the learning rate is {' and '.join(parts)}{rest}", residual)


def _group(
    case: Case, found: Table, own: list[int], values: np.ndarray, precisions: np.ndarray
) -> Finding:
    where = group([found.names[k] for k in own], found.names)
    best = min(own, key=lambda k: precisions[k])
    value, precision = float(values[best]), float(precisions[best])
    rate, residual = case.evidence.optimiser.rate, case.evidence.tolerance
    placed = where.kind in ("array", "layer")
    if abs(value) <= precision:
        if placed:
            return Finding("is not trained: it never changes", residual, None, where.place)
        return Finding(f"{where.of}: not trained, these never change", residual)
    many = times(value, precision / abs(value))
    new = said(abs(value) * rate, precision / abs(value))
    numbers = f"{'−' if value < 0 else ''}{new}, not {rate:g}"
    if placed:
        text = f"is updated with {many} the model's learning rate ({numbers})"
        return Finding(text, residual, None, where.place)
    text = f"the learning rate of {where.of} is {many} the model's ({numbers})"
    return Finding(f"{text}; the others are right", residual)


def _scheduled(case: Case, found: Table) -> Finding | None:
    """The same arrays have another rate in each update."""
    changed = [
        name
        for k, name in enumerate(found.names)
        if any(
            _far(r, p)
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


def _inside_velocity(case: Case) -> Finding | None:
    """The rate is multiplied into what the velocity takes, and changes."""
    return None


def _norms(case: Case, found: Table) -> Finding | None:
    """Steps are brought to a norm: all together, or each array's."""
    e = case.evidence
    moved = [
        {n: float(np.linalg.norm(e.weights[t][n] - e.weights[t + 1][n])) for n in e.gradients[0]}
        for t in range(len(e.gradients))
    ]
    joined = found.joined(1)
    if joined is not None:
        far = [t for t in range(len(moved)) if _far(joined[0][t], joined[1][t])]
        norms = [float(np.sqrt(sum(v**2 for v in moved[t].values()))) for t in far]
        precision = 4 * e.tolerance
        if len(norms) > 2 and all(close(v, norms[0], precision) for v in norms):
            below = all(joined[0][t] <= 1 for t in far)
            if below and is_round(norms[0], precision):
                text = f"all steps together are clipped to a norm of {said(norms[0], precision)}"
                return Finding(text, e.tolerance)
    return _own_norms(case, found, moved)


def _own_norms(case: Case, found: Table, moved: list[dict[str, float]]) -> Finding | None:
    cells = [
        (moved[t][name], found.ratio[t, k])
        for k, name in enumerate(found.names)
        for t in range(len(moved))
        if np.isfinite(found.ratio[t, k]) and _far(found.ratio[t, k], found.precision[t, k])
    ]
    precision = 4 * case.evidence.tolerance
    if len(cells) < _EQUATIONS or not all(close(n, cells[0][0], precision) for n, _ in cells):
        return None
    if not all(0 < ratio <= 1 for _, ratio in cells) or not is_round(cells[0][0], precision):
        return None
    text = f"each array's step is clipped to a norm of {said(cells[0][0], precision)}"
    return Finding(text, case.evidence.tolerance)
