"""What a measurement found, in words and numbers, and how well it explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sentence:
    """`says` is the sentence without its place: "computes min(max(x, 0), 6)".

    `residual` is the error that is left where this is assumed, relative to the array's size.
    """

    says: str
    residual: float
    name: str | None = None  # of the catalogue of deviations, where it has one
    place: str | None = None  # a layer or an array; None: not in any


def residual(observed: np.ndarray, assumed: np.ndarray) -> float:
    """The largest difference, relative to the largest number that was assumed."""
    if observed.shape != assumed.shape:
        return float("inf")
    size = float(np.abs(assumed).max(initial=0.0)) or 1.0
    gap = float(np.abs(np.asarray(observed, np.float64) - assumed).max(initial=0.0))
    return gap / size if np.isfinite(gap) else float("inf")
