"""A few numbers fitted to many equations: a grid first, then Gauss-Newton from its best places.

All equations are divided by the error they may have, so that a fit explains everything where no
residual is larger than one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# What a row of numbers predicts for every equation: (K, p) to (K, M).
Predict = Callable[[np.ndarray], np.ndarray]
_STARTS = 2  # best places of the grid that are tried
_ITERATIONS = 14
_SLOPE_STEP = 1e-6
_SHARES = np.array([1.0, 0.5, 0.1, 0.01])  # of a Gauss-Newton step
_HOPELESS = 1e6  # a start this far off after a few steps


@dataclass(frozen=True)
class NumbersFit:
    """The numbers, the largest residual, and how far each could be off."""

    x: np.ndarray
    error: float
    precision: np.ndarray


def fit(predict: Predict, observed: np.ndarray, grid: np.ndarray) -> NumbersFit | None:
    """The numbers that explain what is observed best, of those near any row of the grid."""
    with np.errstate(all="ignore"):
        costs = _costs(predict(grid), observed)
        if not np.isfinite(costs).any():
            return None
        best: NumbersFit | None = None
        for start in _starts(costs, grid):
            found = _refined(predict, observed, start)
            if found and (best is None or found.error < best.error):
                best = found
            if best and best.error <= 1.0:
                break
        return best


def _costs(predicted: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """The mean square of each row; infinite where it is no number."""
    found = np.square(predicted - observed).mean(axis=1)
    finite: np.ndarray = np.where(np.isfinite(found), found, np.inf)
    return finite


def _starts(costs: np.ndarray, grid: np.ndarray) -> list[np.ndarray]:
    """The best rows that are not beside a better one."""
    span = np.ptp(grid, axis=0)
    near = np.where(span > 0, span, 1.0) / 8
    chosen: list[np.ndarray] = []
    for place in np.argsort(costs):
        row = grid[place]
        if not np.isfinite(costs[place]) or len(chosen) == _STARTS:
            break
        if all((np.abs(row - other) > near).any() for other in chosen):
            chosen.append(row)
    return chosen


def _refined(predict: Predict, observed: np.ndarray, start: np.ndarray) -> NumbersFit | None:
    x = start.astype(np.float64)
    cost = np.inf
    for count in range(_ITERATIONS):
        now, slopes = _linear(predict, x)
        gap = observed - now
        cost = float(np.square(gap).mean())
        if not np.isfinite(cost) or not np.isfinite(slopes).all():
            return None
        if cost > _HOPELESS**2 and count > 6:
            return None
        step = np.linalg.lstsq(slopes.T, gap, rcond=1e-12)[0]
        step = np.clip(step, -2.0, 2.0)
        tried = x + _SHARES[:, None] * step
        costs = _costs(predict(tried), observed)
        best = int(np.argmin(costs))
        if not costs[best] < cost * (1 - 1e-6):
            break
        x = tried[best]
    now, slopes = _linear(predict, x)
    return NumbersFit(x, float(np.abs(observed - now).max()), _precision(slopes))


def _linear(predict: Predict, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is predicted at `x`, and its slope for each number: (p, M)."""
    around = np.vstack([x, x + _SLOPE_STEP * np.eye(len(x))])
    found = predict(around)
    return found[0], (found[1:] - found[0]) / _SLOPE_STEP


def _precision(slopes: np.ndarray) -> np.ndarray:
    """How far each number may move before some equation shows it.

    A number that could move by one unseen is not known at all; the others are as if it were given.
    """
    found = np.full(len(slopes), np.inf)
    if not np.isfinite(slopes).all():
        return found
    largest = np.abs(slopes).max(axis=1)
    shown = largest > 1.0
    square = slopes[shown] @ slopes[shown].T
    try:
        spread = np.sqrt(np.abs(np.diag(np.linalg.inv(square))))
    except np.linalg.LinAlgError:
        return found
    found[shown] = np.maximum(1 / largest[shown], spread)
    return found
