"""Steps that are brought to a norm: clipped, or made a share of the weights' own (LARS, LAMB)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensorstone.proof.measuring.factors import close, is_round, said
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.update_rates import far, rate_table
from tensorstone.proof.measuring.update_search import UpdateCase
from tensorstone.proof.measuring.update_table import Table

_EQUATIONS = 4
_ROUNDINGS = 4.0  # tolerances between two norms that are the same


def describe_norms(case: UpdateCase) -> Sentence | None:
    found = rate_table(case)
    if found is None or (np.nan_to_num(found.ratio) < 0).any():
        return None
    return _together(case, found) or _each(case, found)


def _moved(case: UpdateCase, t: int, name: str) -> float:
    weights = case.evidence.weights
    return float(np.linalg.norm(weights[t][name] - weights[t + 1][name]))


def _together(case: UpdateCase, found: Table) -> Sentence | None:
    """The changed updates have one norm over all arrays, and the others a smaller one."""
    joined = found.joined(1)
    if joined is None:
        return None
    count, names = case.many.count, tuple(case.evidence.gradients[0])
    changed = [t for t in range(count) if far(joined[0][t], joined[1][t])]
    norms = [float(np.sqrt(sum(_moved(case, t, n) ** 2 for n in names))) for t in range(count)]
    precision = _ROUNDINGS * case.evidence.tolerance
    if len(changed) < 3 or not all(close(norms[t], norms[changed[0]], precision) for t in changed):
        return None
    limit = norms[changed[0]]
    inside = all(norm <= limit * (1 + 2 * precision) for norm in norms)
    if not inside or max(joined[0][changed]) > 1 or not is_round(limit, precision):
        return None
    text = f"all steps together are clipped to a norm of {said(limit, precision)}"
    return Sentence(text, case.evidence.tolerance)


def _each(case: UpdateCase, found: Table) -> Sentence | None:
    """The changed arrays have steps of one norm, or of one share of their weights' norm."""
    cells = list(_changed(case, found))
    precision = _ROUNDINGS * case.evidence.tolerance
    if len(cells) < _EQUATIONS:
        return None
    moved, share = cells[0][0], cells[0][0] / (cells[0][1] or 1.0)
    if all(close(m, moved, precision) for m, _, _ in cells):
        clipped = all(0 < ratio <= 1 for _, _, ratio in cells)
        if clipped and is_round(moved, precision):
            text = f"each array's step is clipped to a norm of {said(moved, precision)}"
            return Sentence(text, case.evidence.tolerance)
    if all(w and close(m / w, share, precision) for m, w, _ in cells):
        number = said(share, precision)
        text = f"each array's step has {number} times the norm of its weights (as in LARS)"
        return Sentence(text, case.evidence.tolerance)
    return None


def _changed(case: UpdateCase, found: Table) -> Iterator[tuple[float, float, float]]:
    """How far each changed array moved, its weights' norm, and the multiple of the model's."""
    for k, name in enumerate(found.names):
        for t in range(len(found.ratio)):
            ratio, precision = found.ratio[t, k], found.precision[t, k]
            if np.isfinite(ratio) and far(ratio, precision):
                norm = float(np.linalg.norm(case.evidence.weights[t][name]))
                yield _moved(case, t, name), norm, float(ratio)
