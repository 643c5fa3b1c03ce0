"""A learning rate that changes from update to update: by which formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.proof.measuring.factors import said
from tensorstone.proof.measuring.regress import fit

_LEAST = 2.5e-7  # relative: rates are kept in float32
_FAR = 10.0  # precisions
_KNOWN = 0.05
Curve = Callable[[np.ndarray, np.ndarray], np.ndarray]  # constant (K, 1), update (T,) from 0


@dataclass(frozen=True)
class _Schedule:
    """`says` has a place for the constant; `coded` values are what a fit starts at."""

    says: str
    curve: Curve
    value: Callable[[float], float]
    starts: tuple[float, ...]


def _log(*values: float) -> tuple[float, ...]:
    return tuple(float(np.log(v)) for v in values)


_RATES = _log(1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0)
_SCHEDULES = (
    _Schedule(
        "the learning rate is multiplied by {0} after every update",
        lambda x, t: np.exp(x * t),
        lambda x: float(np.exp(x)),
        (-2.0, -1.0, -0.5, -0.1, -1e-2, -1e-3, 1e-3, 0.1),
    ),
    _Schedule(
        "the learning rate falls linearly, by {0} of the model's at every update",
        lambda x, t: 1 - np.exp(x) * t,
        lambda x: float(np.exp(x)),
        _RATES,
    ),
    _Schedule(
        "the learning rate rises linearly, by {0} of the model's at every update",
        lambda x, t: 1 + np.exp(x) * t,
        lambda x: float(np.exp(x)),
        _RATES,
    ),
    _Schedule(
        "the learning rate falls as 1/(1 + {0}·t) with the number t of updates made",
        lambda x, t: 1 / (1 + np.exp(x) * t),
        lambda x: float(np.exp(x)),
        _RATES,
    ),
    _Schedule(
        "the learning rate falls as t to the power of −{0} in update t",
        lambda x, t: (t + 1) ** -np.exp(x),
        lambda x: float(np.exp(x)),
        _RATES,
    ),
    _Schedule(
        "the learning rate falls as half a cosine that ends after {0} updates",
        lambda x, t: 0.5 * (1 + np.cos(np.pi * np.minimum(t / np.exp(x), 1))),
        lambda x: float(np.exp(x)),
        _log(3, 5, 8, 12, 20, 50, 100, 1000, 10000),
    ),
    _Schedule(
        "the learning rate warms up linearly over {0} updates, and begins at 1/{0} of it",
        lambda x, t: np.minimum((t + 1) / np.exp(x), 1),
        lambda x: float(np.exp(x)),
        _log(2, 3, 4, 5, 6, 8, 12, 20, 50, 100, 1000),
    ),
    _Schedule(
        "the learning rate warms up linearly over {0} updates, and begins at 0",
        lambda x, t: np.minimum(t / np.exp(x), 1),
        lambda x: float(np.exp(x)),
        _log(2, 3, 4, 5, 6, 8, 12, 20, 50, 100, 1000),
    ),
)


def schedule(ratio: np.ndarray, precision: np.ndarray) -> str | None:
    """What the rates of updates follow, each as a multiple of the model's; None: nothing known."""
    precision = np.maximum(precision, _LEAST * np.maximum(np.abs(ratio), 1e-3))
    known = np.isfinite(ratio)
    if not known.any() or np.ptp(ratio[known]) <= _FAR * float(precision[known].max()):
        return None  # the same in every update
    whole = _in_steps(ratio, precision)
    if whole:
        return whole
    found = list(_fitting(ratio, precision, rated=False))
    if not found and len(ratio) > 4:
        found = list(_fitting(ratio, precision, rated=True))
    if len(found) == 1:
        return found[0]
    return _slowly(ratio, precision, found)


def _slowly(ratio: np.ndarray, precision: np.ndarray, found: list[str]) -> str | None:
    """What falls so little that its first formulas are all alike."""
    alike = all(any(word in text for text in found) for word in ("multiplied", "linearly"))
    others = any(word in text for text in found for word in ("power", "cosine", "warms"))
    if not alike or others or not np.isfinite(ratio).all() or not ratio[0] > ratio[-1] > 0:
        return None
    share = float(1 - ratio[-1] / ratio[0]) / (len(ratio) - 1)
    if float(precision.max()) > _KNOWN * share * (len(ratio) - 1):
        return None
    return f"the learning rate falls by about {share:.1g} of itself at every update"


def _fitting(ratio: np.ndarray, precision: np.ndarray, rated: bool) -> Iterator[str]:
    t = np.arange(len(ratio), dtype=np.float64)
    known = np.isfinite(ratio)
    for one in _SCHEDULES:

        def predict(rows: np.ndarray, one: _Schedule = one) -> np.ndarray:
            scale = np.exp(rows[:, 1:2]) if rated else 1.0
            found: np.ndarray = (scale * one.curve(rows[:, :1], t) / precision)[:, known]
            return found

        starts = np.array(one.starts)[:, None]
        if rated:
            size = max(float(np.abs(ratio[known]).max()), 1e-12)
            starts = np.hstack([starts, np.full_like(starts, np.log(size))])
        found = fit(predict, (ratio / precision)[known], starts)
        if found is None or not found.error <= 1.0 or not found.precision[0] <= _KNOWN:
            continue
        value = one.value(float(found.x[0]))
        number = said(value, max(float(found.precision[0]), 1e-9))
        text = one.says.format(number)
        if rated:
            first = said(float(np.exp(found.x[1])), max(float(found.precision[1]), _LEAST))
            text = f"{text}, from {first} times the model's"
        yield text


def _in_steps(ratio: np.ndarray, precision: np.ndarray) -> str | None:
    """Few values, each for a while: updates left out, or a rate that falls in steps."""
    if not np.isfinite(ratio).all():
        return None
    none = np.abs(ratio) <= precision
    one = np.abs(ratio - 1) <= np.maximum(_FAR * precision, 4 * _LEAST)
    count = len(ratio)
    if none.any() and (none | one).all():
        return _left_out([int(k) + 1 for k in np.flatnonzero(none)], count)
    edges = [
        k
        for k in range(1, count)
        if abs(ratio[k] - ratio[k - 1]) > 2 * precision[k - 1 : k + 1].max()
    ]
    if not edges or len(edges) > 3 or not one[0]:
        return None
    lengths = np.diff([0, *edges, count])
    if lengths[0] < 2 or (len(edges) > 1 and len(set(lengths[:-1])) > 1):
        return None
    if lengths[-1] > lengths[0] and len(edges) > 1:
        return None
    factors = [ratio[k] / ratio[k - 1] for k in edges]
    error = 4 * float(precision.max()) / max(float(np.abs(ratio).min()), 1e-9)
    if max(factors) - min(factors) > 2 * error * abs(factors[0]):
        return None
    number = said(float(factors[0]), max(error, 1e-7))
    if len(edges) == 1:
        return f"the learning rate is {number} times the model's from update {edges[0] + 1} on"
    return f"the learning rate is multiplied by {number} after every {lengths[0]} updates"


def _left_out(places: list[int], count: int) -> str | None:
    if len(places) == count:
        return None
    if len(places) == 1:
        return f"update {places[0]} is left out: nothing moves"
    done = [k for k in range(1, count + 1) if k not in places]
    if places == list(range(places[0], count + 1)):
        return f"nothing moves after update {places[0] - 1}"
    if places == list(range(1, places[-1] + 1)):
        return f"nothing moves in the first {places[-1]} updates"
    gaps = set(np.diff(done))
    if len(done) > 1 and len(gaps) == 1:
        return f"one update in {gaps.pop()} is made, the first of them update {done[0]}"
    listed = ", ".join(map(str, places[:-1]))
    return f"updates {listed} and {places[-1]} are left out: nothing moves"
