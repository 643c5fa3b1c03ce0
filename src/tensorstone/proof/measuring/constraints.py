"""Weights that are kept within limits after an update: clipped, or rows kept short."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle import Arrays
from tensorstone.proof.measuring.factors import said
from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.sentence import Sentence

_EQUATIONS = 4
_GUARD = 1e-6  # what frameworks add to a length before they divide by it changes it by less


def describe_constraint(
    observed: Arrays, expected: Arrays, wrong: tuple[str, ...], tolerance: float
) -> Sentence | None:
    """`observed` and `expected` are weights after one update; `wrong`: those that differ."""
    if not wrong:
        return None
    return _clipped(observed, expected, wrong, tolerance) or _short(
        observed, expected, wrong, tolerance
    )


def _clipped(
    observed: Arrays, expected: Arrays, wrong: tuple[str, ...], tolerance: float
) -> Sentence | None:
    limit = max(float(np.abs(observed[name]).max()) for name in wrong)
    beyond = sum(int((np.abs(expected[name]) > limit).sum()) for name in wrong)
    if beyond < _EQUATIONS:
        return None
    clipped = {name: np.clip(expected[name], -limit, limit) for name in wrong}
    if not _same(observed, clipped, tolerance):
        return None
    where = group(wrong, tuple(expected))
    text = f"weights are clipped to ±{said(limit, tolerance)} after the update: {where.of}"
    return Sentence(text, tolerance, place=where.place)


def _short(
    observed: Arrays, expected: Arrays, wrong: tuple[str, ...], tolerance: float
) -> Sentence | None:
    if any(expected[name].ndim < 2 for name in wrong):
        return None
    limit = max(float(_lengths(observed[name]).max()) for name in wrong)
    shortened = {}
    for name in wrong:
        lengths = _lengths(expected[name])
        shortened[name] = expected[name] * np.where(lengths > limit, limit / lengths, 1)
    if not _same(observed, shortened, max(tolerance, _GUARD)):
        return None
    where = group(wrong, tuple(expected))
    short = said(limit, max(tolerance, _GUARD))
    text = f"rows of weights longer than {short} are shortened to that norm after the update: "
    return Sentence(text + where.of, tolerance, place=where.place)


def _lengths(array: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.sqrt(
        np.square(array).sum(axis=tuple(range(1, array.ndim)), keepdims=True)
    )
    return found


def _same(observed: Arrays, assumed: Arrays, tolerance: float) -> bool:
    return all(
        np.abs(observed[name] - array).max() <= 10 * tolerance * np.abs(array).max()
        for name, array in assumed.items()
    )
