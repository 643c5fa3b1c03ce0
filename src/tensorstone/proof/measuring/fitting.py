"""Numbers of a formula, fitted to what was observed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Model = Callable[..., np.ndarray]  # of the numbers that are fitted
_STEPS = 40
_SEEN = 4  # places that must depend on a number


def fitted(
    model: Model, start: Sequence[float], observed: np.ndarray, tolerance: float
) -> tuple[float, ...] | None:
    """The numbers that bring the model nearest (least squares); None where it does not depend on
    each of them, in several places."""
    numbers = np.array(start, np.float64)
    gap = _gap(model, numbers, observed)
    damping = 1e-3
    for _ in range(_STEPS):
        slopes = _slopes(model, numbers)
        square = slopes @ slopes.T
        if not (np.isfinite(square).all() and np.isfinite(gap).all()) or not np.diag(square).all():
            return None
        damped = square + damping * np.diag(np.diag(square))
        step = np.linalg.lstsq(damped, slopes @ gap, rcond=None)[0]
        new = _gap(model, numbers + step, observed)
        with np.errstate(over="ignore"):
            worse = not np.isfinite(new).all() or new @ new > gap @ gap
        if worse:
            damping *= 10
            if damping > 1e8:
                break
            continue
        numbers, gap, damping = numbers + step, new, damping / 10
        if np.abs(step).max() <= 1e-14 * np.abs(numbers).max():
            break
    return tuple(map(float, numbers)) if _seen(model, numbers, observed, tolerance) else None


def _gap(model: Model, numbers: np.ndarray, observed: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        found: np.ndarray = (observed - model(*numbers)).ravel()
    return found


def _slopes(model: Model, numbers: np.ndarray) -> np.ndarray:
    """The model's slope for each number."""
    rows = []
    for k, number in enumerate(numbers):
        move = np.zeros_like(numbers)
        move[k] = 1e-6 * max(abs(number), 1e-3)
        with np.errstate(all="ignore"):
            change = model(*(numbers + move)) - model(*(numbers - move))
        rows.append(change.ravel() / (2 * move[k]))
    return np.array(rows)


def _seen(model: Model, numbers: np.ndarray, observed: np.ndarray, tolerance: float) -> bool:
    """Whether a tenth of each number shows in the model, and in several places."""
    size = float(np.abs(observed).max(initial=0.0)) or 1.0
    for number, slope in zip(numbers, np.abs(_slopes(model, numbers)), strict=True):
        if slope.max() * max(abs(number), 1e-3) * 0.1 < 10 * tolerance * size:
            return False
        if (slope > 1e-2 * slope.max()).sum() < _SEEN:
            return False
    return True
