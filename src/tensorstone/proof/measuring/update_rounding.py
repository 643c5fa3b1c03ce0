"""Weights that are kept in fewer digits than the program computes with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorstone.proof.measuring.groups import group
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.update_search import UpdateCase, scoped
from tensorstone.proof.measuring.update_streams import bfloat16

_ULPS = 1.01  # of the fewer digits: how far a weight may be from the model's
Round = Callable[[np.ndarray], np.ndarray]


def _half(w: np.ndarray) -> np.ndarray:
    return w.astype(np.float16).astype(np.float64)


def _single(w: np.ndarray) -> np.ndarray:
    return w.astype(np.float32).astype(np.float64)


_KINDS: tuple[tuple[str, Round, float, float], ...] = (  # with its last place, its least number
    ("bfloat16", bfloat16, 2.0**-7, 1e-38),
    ("float16", _half, 2.0**-10, 2.0**-24),
    ("float32", _single, 2.0**-23, 1e-38),
)


def describe_rounding(case: UpdateCase) -> Sentence | None:
    """Every weight is a number of fewer digits after each update, and the nearest one."""
    s, e = case.many.only(case.wrong), case.evidence
    after = s.w - s.d
    reached = s.w - case.model.predicted(case.many)[:, np.isin(case.many.of, _places(case))]
    for called, rounded, ulp, least in _KINDS[: 2 if e.single else 3]:
        if not (rounded(after) == after).all() or (rounded(s.w[0]) == s.w[0]).all():
            continue
        near = np.abs(after - reached) <= _ULPS * (ulp * np.abs(after) + least)
        if near.all():
            where = group(case.wrong, case.few.names)
            text = f"weights are rounded to {called} after every update"
            return scoped(text, None, where, 0.0)
    return None


def _places(case: UpdateCase) -> list[int]:
    return [case.many.names.index(name) for name in case.wrong]
