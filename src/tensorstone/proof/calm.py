"""How large a probe's numbers may be for its updates not to throw the model.

Published rates are meant for published weights and data. Where an update of plain gradients is
many times too large, the loss leaps, and what a program computes next is its roundings, enlarged.
Inputs and biases that are smaller together make every activation of a ReLU network smaller as much
and leave what is large beside what as it was; gradients shrink with them.
"""

from __future__ import annotations

import numpy as np

from tensorstone.models.recipe import SGD, Momentum
from tensorstone.oracle import Arrays, Case, train

LEAP = 2.0  # times the first loss is where calm ends
HALVINGS = 6  # tried at most


def calming(case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray) -> int:
    """How often to halve inputs and biases; never, if that is of no use."""
    # Adaptive optimisers go as far whatever the gradients are; tokens have no size.
    if not isinstance(case.optimiser, SGD | Momentum) or np.issubdtype(x.dtype, np.integer):
        return 0
    for halvings in range(HALVINGS + 1):
        losses = train(case, *calmed(weights, x, halvings), y).losses
        if max(losses) <= LEAP * losses[0]:
            return halvings
    return 0


def calmed(weights: Arrays, x: np.ndarray, halvings: int) -> tuple[Arrays, np.ndarray]:
    """Weights and inputs with biases and inputs halved so often."""
    if not halvings:
        return weights, x
    scale = np.float32(0.5**halvings)
    smaller = {
        name: array * scale if name.endswith("bias") else array for name, array in weights.items()
    }
    return smaller, x * scale
