"""The simplest cell: h ← tanh(W·x + b + U·h + b′)."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle.call import Call
from tensorstone.oracle.recurrence import CellWeights, Recurrence, Slopes, before, outer


def _forward(call: Call, weights: CellWeights, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if weights.recurrent_bias is not None:
        sums = sums + weights.recurrent_bias
    states = np.empty_like(sums)
    h = np.zeros_like(sums[0])
    for t, given in enumerate(sums):
        h = states[t] = np.tanh(given + h @ weights.recurrent.T)
    return states, states


def _backward(call: Call, weights: CellWeights, states: np.ndarray, dy: np.ndarray) -> Slopes:
    dsums = np.empty_like(dy)
    dh = np.zeros_like(dy[0])
    for t in reversed(range(len(dy))):
        dsums[t] = (dy[t] + dh) * (1 - np.square(states[t]))
        dh = dsums[t] @ weights.recurrent
    return Slopes(dsums, outer(dsums, before(states)), dsums)


SIMPLE_RNN_CELL = Recurrence(_forward, _backward)
