"""How large a probe's inputs may be for its updates not to make the loss leap.

Published learning rates are meant for published weights and data. Where an update of plain SGD is
many times too large, the loss leaps, and what a program computes next is mostly rounding error,
enlarged. Halving inputs and biases together halves every activation of a ReLU network, keeps their
order of size, and makes gradients smaller.
"""

from __future__ import annotations

import numpy as np

from tensorstone.models.recipe import SGD, Momentum
from tensorstone.oracle import Arrays, Case, train

LARGEST_RISE = 2.0  # of the loss, times its first value
HALVINGS = 6  # tried at most


def halvings_needed(case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray) -> int:
    """How often to halve inputs and biases; 0 if that does not help."""
    # Adaptive optimisers go as far whatever the gradients are; tokens have no size.
    if not isinstance(case.optimiser, SGD | Momentum) or np.issubdtype(x.dtype, np.integer):
        return 0
    for halvings in range(HALVINGS + 1):
        losses = train(case, *rescaled(weights, x, halvings), y).losses
        if max(losses) <= LARGEST_RISE * losses[0]:
            return halvings
    return 0


def rescaled(weights: Arrays, x: np.ndarray, halvings: int) -> tuple[Arrays, np.ndarray]:
    """Weights and inputs with biases and inputs halved so often."""
    if not halvings:
        return weights, x
    scale = np.float32(0.5**halvings)
    smaller = {
        name: array * scale if name.endswith("bias") else array for name, array in weights.items()
    }
    return smaller, x * scale
