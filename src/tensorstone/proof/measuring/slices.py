"""An output that is wrong in some channels, rows, steps or samples and right in the others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tensorstone.proof.measuring.axes import axis_name, counted, others
from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.guesses import EQUATIONS, Compute, Guess
from tensorstone.proof.measuring.sentence import Sentence

_MOST = 0.5  # of an axis's places may be wrong to be called some


def slice_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    """Guesses that only some places of an axis are wrong, and how."""
    for axis, places in _wrong_places(evidence):
        where = [slice(None)] * evidence.expected.ndim
        where[axis] = places  # type: ignore[call-overload]
        at = tuple(where)
        name, size = axis_name(evidence.expected.ndim, axis), evidence.expected.shape[axis]
        which = counted(name, list(places), size)
        verb = "is" if len(places) == 1 else "are"
        whole = axis == 0
        yield Guess(f"only {which} {verb} wrong: zero", _replaced(at, 0.0, 0.0), whole=whole)
        expected, observed = evidence.expected[at], evidence.observed[at]
        square = float((expected**2).sum())
        if not square or not np.isfinite(observed).all():
            continue
        factor = float((observed * expected).sum()) / square
        text, c = rounded(factor, partial(np.multiply, expected), observed, evidence.tolerance)
        says = f"only {which} {verb} wrong: {text} times what the model says"
        yield Guess(says, _replaced(at, c, 0.0), 1, whole=whole)
        offset = float((observed - expected).mean())
        text, d = rounded(offset, partial(np.add, expected), observed, evidence.tolerance)
        says = f"only {which} {verb} wrong: {text} is added"
        yield Guess(says, _replaced(at, 1.0, d), 1, whole=whole)


def wrong_slices(evidence: LayerEvidence) -> Sentence | None:
    """Which places are wrong, where it is not known how."""
    border = _border(evidence)
    if border is not None:
        return border
    for axis, places in _wrong_places(evidence):
        name, size = axis_name(evidence.expected.ndim, axis), evidence.expected.shape[axis]
        says = f"only {counted(name, list(places), size)} of {size} differ from the model"
        if len(places) == 1:
            says = f"only {counted(name, list(places), size)} of {size} differs from the model"
        if len(places) > 6:
            says = f"only {counted(name, list(places), size)} differ from the model"
        return Sentence(says, 0.0, None, evidence.node.name)
    return None


def _wrong_places(evidence: LayerEvidence) -> list[tuple[int, np.ndarray]]:
    """For each axis of which only some places are wrong: these. Fewest first."""
    wrong = _wrong(evidence)
    found = []
    for axis in range(wrong.ndim) if wrong is not None else ():
        assert wrong is not None
        counts = wrong.sum(axis=others(wrong.ndim, axis))
        places = np.flatnonzero(counts)
        # Most of a wrong place is wrong; where few numbers are, it is not the place that matters.
        filled = counts[places].min(initial=wrong.size) >= max(
            EQUATIONS, 0.5 * wrong.size / len(counts)
        )
        if filled and 0 < len(places) <= _MOST * len(counts):
            found.append((len(places) / len(counts), axis, places))
    return [(axis, places) for _, axis, places in sorted(found, key=lambda f: f[:2])]


def _wrong(evidence: LayerEvidence) -> np.ndarray | None:
    if evidence.observed.shape != evidence.expected.shape:
        return None
    scale = float(np.abs(evidence.expected).max(initial=0.0)) or 1.0
    found: np.ndarray = ~(
        np.abs(evidence.observed - evidence.expected) <= evidence.tolerance * scale
    )
    return found


def _border(evidence: LayerEvidence) -> Sentence | None:
    """Whether only the outermost rows and columns are wrong."""
    wrong = _wrong(evidence)
    if wrong is None or wrong.ndim != 4 or min(wrong.shape[2:]) < 5 or not wrong.any():
        return None
    rows, columns = wrong.any(axis=(0, 1, 3)), wrong.any(axis=(0, 1, 2))
    inner = wrong[:, :, 1:-1, 1:-1]
    outer = int(wrong.sum() - inner.sum())
    if inner.any() or outer < EQUATIONS or not (rows.all() or columns.all()):
        return None
    says = "differs from the model in the outermost rows and columns only, where padding is seen"
    return Sentence(says, 0.0, None, evidence.node.name)


def _replaced(at: tuple[slice, ...], factor: float, offset: float) -> Compute:
    def compute(e: LayerEvidence) -> np.ndarray:
        found = e.expected.copy()
        found[at] = factor * found[at] + offset
        return found

    return compute
