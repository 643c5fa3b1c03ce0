"""Training over all batches in order, as a trace of losses and the weights it ends with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from tensorstone.oracle.case import Arrays, Case
from tensorstone.oracle.optimisers import Updates
from tensorstone.oracle.run import diverging, gradients


@dataclass(frozen=True)
class Trace:
    """What training left behind."""

    losses: list[float]  # of each batch, before its update
    weights: Arrays  # after the last update, running statistics included
    gradients: list[Arrays] | None = None  # of each step, when kept


@diverging
def train(
    case: Case,
    weights: Arrays,
    x: np.ndarray,
    y: np.ndarray,
    dtype: DTypeLike = np.float64,
    keep_gradients: bool = False,
) -> Trace:
    """Train once over the complete batches of `x` and `y`, in order."""
    current = {name: np.array(array, dtype) for name, array in weights.items()}
    updates = Updates(case)
    losses: list[float] = []
    kept: list[Arrays] = []
    for step, batch in enumerate(_batches(case, len(x))):
        loss, found, statistics = gradients(case, current, x[batch], y[batch], dtype, step)
        current = updates.apply(current, found) | statistics
        losses.append(loss)
        if keep_gradients:
            kept.append(found)
    return Trace(losses, current, kept if keep_gradients else None)


def _batches(case: Case, samples: int) -> list[np.ndarray]:
    """Which samples each batch takes."""
    order = np.arange(samples)
    if "shuffled-batches" in case.quirks:
        order = np.random.default_rng(0).permutation(samples)
    complete = samples - samples % case.batch
    batches = [order[i : i + case.batch] for i in range(0, complete, case.batch)]
    rest = order[complete:]
    if len(rest) and "remainder-kept" in case.quirks:
        batches.append(rest)
    if len(rest) and "remainder-padded" in case.quirks:
        batches.append(np.resize(np.concatenate([rest, order]), case.batch))
    return batches[::-1] if "reversed-batches" in case.quirks else batches
