"""An element-wise function: its formula with its constants, or else a table of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.fitting import fitted
from tensorstone.proof.measuring.formulas import FAMILIES, PLAIN, Curve, Formula, combinations
from tensorstone.proof.measuring.guesses import EQUATIONS, Guess
from tensorstone.proof.measuring.sentence import Sentence

Source = Callable[[LayerEvidence], np.ndarray]  # what the function is of
_FITTED = 2000  # points that constants are fitted to
_LEAST = 50  # points that show a function
_ROUGH = 0.02  # of the range: how far neighbours may be from a line between theirs
_JUMPS = 0.02  # of the points may be further


@dataclass(frozen=True)
class Points:
    """Some of the pairs of a function, by rising x."""

    x: np.ndarray
    y: np.ndarray
    tolerance: float


def points(x: np.ndarray, y: np.ndarray, tolerance: float) -> Points:
    order = np.argsort(x, axis=None)
    if order.size > _FITTED:  # evenly, and both ends
        order = order[np.linspace(0, order.size - 1, _FITTED).astype(np.int64)]
    return Points(x.ravel()[order], y.ravel()[order], tolerance)


def function_guesses(
    evidence: LayerEvidence,
    source: Source,
    phrase: str = "computes {}",
    meant: Curve | None = None,
) -> Iterator[Guess]:
    """Guesses that the output is a function of each number of the source."""
    x = source(evidence)
    if x.shape != evidence.observed.shape or not np.isfinite(evidence.observed).all():
        return
    seen = points(x, evidence.observed, evidence.tolerance)
    note = _range_note(seen.x)
    for formula in PLAIN:
        yield _guess(phrase.format(formula.says) + note, formula.curve, source)
    families = (*combinations(meant), *FAMILIES) if meant else FAMILIES
    for formula in (*_clips(seen), *families):
        for start in formula.starts:
            found = fitted(lambda *c, f=formula: f.curve(seen.x, *c), start, seen.y, seen.tolerance)
            if found is not None:
                yield _constant_guess(formula, found, seen, source, phrase, note)


def _guess(says: str, curve: Curve, source: Source, *constants: float) -> Guess:
    return Guess(says, lambda e: curve(source(e), *constants), len(constants))


def _constant_guess(
    formula: Formula,
    found: tuple[float, ...],
    seen: Points,
    source: Source,
    phrase: str,
    note: str,
) -> Guess:
    """With each constant as round as it can be."""
    texts, values = [], list(found)
    for k, value in enumerate(found):

        def compute(other: float, k: int = k) -> np.ndarray:
            return formula.curve(seen.x, *values[:k], other, *values[k + 1 :])

        text, values[k] = rounded(value, compute, seen.y, seen.tolerance)
        texts.append(text)
    says = phrase.format(formula.says.format(*texts)).replace("+ −", "− ")
    return _guess(says + note, formula.curve, source, *values)


def _clips(seen: Points) -> Iterator[Formula]:
    """Clipping at the largest and the smallest value, where several inputs beyond gave these."""
    low, high = float(seen.y.min()), float(seen.y.max())
    size = max(abs(low), abs(high)) * seen.tolerance
    above = ((seen.y >= high - size) & (seen.x > high + size)).sum() >= EQUATIONS
    below = ((seen.y <= low + size) & (seen.x < low - size)).sum() >= EQUATIONS
    if above and abs(low) <= size:
        yield Formula("min(max(x, 0), {0})", lambda x, c: np.clip(x, 0, c), ((high,),))
    if above:
        yield Formula("min(x, {0})", lambda x, c: np.minimum(x, c), ((high,),))
    if below:
        yield Formula("max(x, {0})", lambda x, c: np.maximum(x, c), ((low,),))
    if above and below:
        start = ((low, high),)
        yield Formula("clip(x, {0}, {1})", lambda x, a, b: np.minimum(np.maximum(x, a), b), start)


def _range_note(x: np.ndarray) -> str:
    """What must be said where only inputs of one sign were seen."""
    if (x > 0).sum() >= EQUATIONS and (x < 0).sum() >= EQUATIONS:
        return ""
    return f" for the inputs seen, {x[0]:.4g} to {x[-1]:.4g}"


def table(evidence: LayerEvidence) -> Sentence | None:
    """A function that no formula gives, by some of its values."""
    x, y = evidence.x, evidence.observed
    if x.shape != y.shape or not is_function(x, y, evidence.tolerance):
        return None
    # So must be what is wrong of it: else what was found is the function that is meant, and noise.
    if not is_function(x, y - evidence.expected, evidence.tolerance):
        return None
    ordered = points(x, y, evidence.tolerance)
    places = [n for n in (-4, -2, -1, 0, 1, 2, 4, 7, 20) if ordered.x[0] <= n <= ordered.x[-1]]
    if len(places) < 3:
        places = list(np.linspace(ordered.x[0], ordered.x[-1], 5))
    pairs = ", ".join(f"{p:.3g} → {np.interp(p, ordered.x, ordered.y):.3g}" for p in places)
    return Sentence(f"computes an element-wise function: {pairs}", 0.0, None, evidence.node.name)


def is_function(x: np.ndarray, y: np.ndarray, tolerance: float) -> bool:
    """Whether equal x give equal y, and near x near y but for a few jumps."""
    if x.size < _LEAST or not np.isfinite(y).all():
        return False
    order = np.argsort(x, axis=None)
    xs, ys = x.ravel()[order], y.ravel()[order]
    extent = float(np.ptp(ys))
    if not extent:
        return False
    same = np.diff(xs) == 0
    if (np.abs(np.diff(ys)[same]) > tolerance * max(np.abs(ys).max(), 1e-30)).any():
        return False
    left, middle, right = xs[:-2], xs[1:-1], xs[2:]
    share = (middle - left) / np.maximum(right - left, 1e-300)
    between = ys[:-2] + share * (ys[2:] - ys[:-2])
    # The ends are sparse: a curve may bend between their points.
    rough = np.abs(ys[1:-1] - between) > _ROUGH * extent
    return bool(rough.mean() <= _JUMPS)
