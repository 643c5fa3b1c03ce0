"""What can be said of updates that no family explains: how far they are the model's, or noise."""

from __future__ import annotations

import numpy as np

from tensorstone.proof.measuring.factors import said
from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.update_rates import rate_table
from tensorstone.proof.measuring.update_search import CLEAR, UpdateCase, right_gap
from tensorstone.proof.measuring.update_steps import Steps
from tensorstone.proof.measuring.update_table import Table, table

_SAMPLES = 100  # numbers of an array that show how noise is spread
_CELLS = 3  # arrays, in each update
_UNKNOWN = 1e200
_SIGMAS = 5.0
_LOUD = 100.0  # of what is allowed: smaller noise may be rounding


def describe_remains(case: UpdateCase) -> Sentence | None:
    return _noise(case) or _rates(case) or _first_steps(case)


def _rates(case: UpdateCase) -> Sentence | None:
    """Every step is a multiple of the model's, by no rule that is known."""
    found = rate_table(case)
    joined = found.joined(1) if found else None
    if found is None or joined is None or not np.isfinite(joined[0]).all():
        return None
    if len(found.names) < len(case.few.names):
        return None
    text = ", ".join(f"{value:.7g}" for value in joined[0])
    return Sentence(f"the steps of the updates are {text} times the model's", 0.0)


def _model(case: UpdateCase, s: Steps) -> np.ndarray:
    return case.model.predicted(s)


def _noise(case: UpdateCase) -> Sentence | None:
    """The model's steps and something random: as much in each array and update, and of nothing
    that is known."""
    s = case.many
    model = _model(case, s)
    rest, allowed = s.d - model, case.model.family.allowed(s)
    sizes = []
    for k in range(len(s.names)):
        own = (s.of == k) & (allowed < _UNKNOWN).all(axis=0)
        n = int(own.sum())
        if n < _SAMPLES:
            continue
        for t in range(s.count):
            e = rest[t, own]
            size = float(e.std())
            known = [f(a[t, own]) for a in (s.w, s.g, model) for f in (_plain, np.sign)]
            known.append(rest[t - 1, own] if t else np.ones(n))
            if not size > _LOUD * float(allowed[t, own].max()):
                return None
            if any(_shared(e, other) > _SIGMAS / np.sqrt(n) for other in (np.ones(n), *known)):
                return None
            sizes.append((size, n))
    if len(sizes) < _CELLS:
        return None
    total = sum(n for _, n in sizes)
    mean = float(np.sqrt(sum(size**2 * n for size, n in sizes) / total))
    if any(abs(size - mean) > _SIGMAS * mean / np.sqrt(n) for size, n in sizes):
        return None
    text = f"noise with a deviation of about {mean:.1g} is added to every weight at every update"
    return Sentence(text, 0.0)


def _plain(array: np.ndarray) -> np.ndarray:
    return array


def _shared(e: np.ndarray, other: np.ndarray) -> float:
    size = float(np.linalg.norm(e) * np.linalg.norm(other))
    return abs(float(e @ other)) / size if size else 0.0


def _first_steps(case: UpdateCase) -> Sentence | None:
    """How far the wrong arrays follow the model, in numbers."""
    gap = right_gap(case, case.many)
    first = {
        name: _first_wrong(gap[:, case.many.of == k]) for k, name in enumerate(case.many.names)
    }
    name = case.wrong[0]
    wrong = first[name]
    if wrong is None:
        return None
    where = group(case.wrong, case.many.names)
    if wrong > 0:
        if gap[:wrong, case.many.of == case.many.names.index(name)].max(initial=0.0) > 1:
            return None  # neither right nor clearly wrong
        same = all(first[other] == wrong for other in case.wrong)
        if same and where.kind == "all":
            text = f"every array's first {wrong} updates are the model's, update {wrong + 1} is not"
            return Sentence(text.replace("first 1 updates are", "first update is"), 0.0)
        text = f"moves as the model says in {wrong} updates, and otherwise in update {wrong + 1}"
        return Sentence(text.replace("in 1 updates", "in the first update"), 0.0, None, name)
    return _ratio(case, name, where.kind == "all")


def _first_wrong(gap: np.ndarray) -> int | None:
    places = np.flatnonzero(gap.max(axis=1, initial=0.0) > CLEAR)
    return int(places[0]) if len(places) else None


def _ratio(case: UpdateCase, name: str, everywhere: bool) -> Sentence | None:
    """The first step as a multiple of the model's, where it is one."""
    found = _first_table(case, case.many)
    if everywhere and found is not None:
        joined = found.joined(None)
        if joined is not None:
            value, precision = float(joined[0]), float(joined[1])
            number = said(value, precision / max(abs(value), 1e-300))
            text = f"every array's first step is {number} of the model's, later ones are not"
            return Sentence(text, case.evidence.tolerance)
    found = _first_table(case, case.many.only([name]))
    if found is None or not np.isfinite(found.ratio).all():
        return None
    value, precision = float(found.ratio[0, 0]), float(found.precision[0, 0])
    number = said(value, precision / max(abs(value), 1e-300))
    text = f"takes a first step that is {number} of the model's"
    return Sentence(text, case.evidence.tolerance, None, name)


def _first_table(case: UpdateCase, s: Steps) -> Table | None:
    return table(s.first(), _model(case, s)[:1], case.model.family.allowed(s)[:1])
