"""Training over all batches in order, as a trace of losses and the weights it ends with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from tensorstone.oracle.case import Arrays, Case


@dataclass(frozen=True)
class Trace:
    """What training left behind."""

    losses: list[float]  # of each batch, before its update
    weights: Arrays  # after the last update, running statistics included
    gradients: list[Arrays] | None = None  # of each step, when kept


def train(
    case: Case,
    weights: Arrays,
    x: np.ndarray,
    y: np.ndarray,
    dtype: DTypeLike = np.float64,
    keep_gradients: bool = False,
) -> Trace:
    """Train once over the complete batches of `x` and `y`, in order."""
    raise NotImplementedError
