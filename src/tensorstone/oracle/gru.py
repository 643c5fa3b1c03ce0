"""The GRU's cell: h ← (1 − σ(z))·tanh(n) + σ(z)·h.

The reset gate scales the candidate's product, or the state before it is multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.oracle.call import Call
from tensorstone.oracle.nonlinearities import sigmoid
from tensorstone.oracle.recurrence import CellWeights, Recurrence, Slopes, before, outer


@dataclass(frozen=True)
class _GRUSteps:
    """Every step's gates after their activations, its state, and what its reset gate scaled."""

    r: np.ndarray
    z: np.ndarray
    n: np.ndarray
    h: np.ndarray
    scaled: np.ndarray  # the candidate's product, or the state before it is multiplied


def _forward(call: Call, weights: CellWeights, sums: np.ndarray) -> tuple[np.ndarray, _GRUSteps]:
    units = weights.recurrent.shape[1]
    gates, candidate = np.split(weights.recurrent, [2 * units])
    bias = np.zeros(3 * units, sums.dtype)
    if weights.recurrent_bias is not None:
        bias = weights.recurrent_bias
    steps = _GRUSteps(*np.empty((5, *sums.shape[:2], units), sums.dtype))
    h = np.zeros_like(steps.h[0])
    for t, given in enumerate(sums):
        r, z = np.split(sigmoid(given[:, : 2 * units] + h @ gates.T + bias[: 2 * units]), 2, axis=1)
        if _resets_after(call):
            steps.scaled[t] = h @ candidate.T + bias[2 * units :]
            product = r * steps.scaled[t]
        else:
            steps.scaled[t] = h
            product = (r * h) @ candidate.T + bias[2 * units :]
        n = np.tanh(given[:, 2 * units :] + product)
        h = (1 - z) * n + z * h
        steps.r[t], steps.z[t], steps.n[t], steps.h[t] = r, z, n, h
    return steps.h, steps


def _backward(call: Call, weights: CellWeights, steps: _GRUSteps, dy: np.ndarray) -> Slopes:
    units = weights.recurrent.shape[1]
    gates, candidate = np.split(weights.recurrent, [2 * units])
    after = _resets_after(call)
    previous = before(steps.h)
    dr, dz, dn, dproduct = np.empty((4, *dy.shape), dy.dtype)
    dh = np.zeros_like(dy[0])
    for t in reversed(range(len(dy))):
        r, z, n = steps.r[t], steps.z[t], steps.n[t]
        dh = dh + dy[t]
        dn[t] = dh * (1 - z) * (1 - np.square(n))
        dz[t] = dh * (previous[t] - n) * z * (1 - z)
        dproduct[t] = dn[t] * r if after else dn[t]
        through_candidate = dproduct[t] @ candidate
        dscaled = dn[t] if after else through_candidate
        dr[t] = dscaled * steps.scaled[t] * r * (1 - r)
        dh = dh * z + np.concatenate([dr[t], dz[t]], axis=1) @ gates
        dh += through_candidate if after else through_candidate * r
    dgates = np.concatenate([dr, dz], axis=2)
    read = previous if after else steps.r * previous
    return Slopes(
        sums=np.concatenate([dgates, dn], axis=2),
        recurrent=np.concatenate([outer(dgates, previous), outer(dproduct, read)]),
        products=np.concatenate([dgates, dproduct], axis=2),
    )


def _resets_after(call: Call) -> bool:
    after: bool = call.layer.reset_after
    return "reset-after" in call.quirks or (after and "reset-before" not in call.quirks)


GRU_CELL = Recurrence(_forward, _backward)
