"""The LSTM's cell: c ← σ(f)·c + σ(i)·tanh(g);  h ← σ(o)·tanh(c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.oracle.call import Call
from tensorstone.oracle.nonlinearities import sigmoid
from tensorstone.oracle.recurrence import CellWeights, Recurrence, Slopes, before, outer


@dataclass(frozen=True)
class _LSTMSteps:
    """Every step's gates after their activations, and both states."""

    i: np.ndarray
    f: np.ndarray
    g: np.ndarray
    o: np.ndarray
    c: np.ndarray
    h: np.ndarray


def _forward(call: Call, weights: CellWeights, sums: np.ndarray) -> tuple[np.ndarray, _LSTMSteps]:
    units = weights.recurrent.shape[1]
    if weights.recurrent_bias is not None:
        sums = sums + weights.recurrent_bias
    if "forget-bias-one" in call.quirks:
        sums = sums.copy()
        sums[..., units : 2 * units] += 1
    to_i, to_f, to_o = _peepholes(weights)
    steps = _LSTMSteps(*np.empty((6, *sums.shape[:2], units), sums.dtype))
    h = c = np.zeros_like(steps.h[0])
    for t, given in enumerate(sums):
        i, f, g, o = np.split(given + h @ weights.recurrent.T, 4, axis=1)
        steps.i[t] = sigmoid(i + to_i * c)
        steps.f[t] = sigmoid(f + to_f * c)
        steps.g[t] = np.tanh(g)
        c = steps.c[t] = steps.f[t] * c + steps.i[t] * steps.g[t]
        steps.o[t] = sigmoid(o + to_o * c)
        h = steps.h[t] = steps.o[t] * np.tanh(c)
    return (steps.c if _returns_cell(call) else steps.h), steps


def _backward(call: Call, weights: CellWeights, steps: _LSTMSteps, dy: np.ndarray) -> Slopes:
    to_i, to_f, to_o = _peepholes(weights)
    previous = before(steps.c)
    di, df, dg, do = dgates = np.empty((4, *dy.shape), dy.dtype)
    dh = dc = np.zeros_like(dy[0])
    for t in reversed(range(len(dy))):
        i, f, g, o = steps.i[t], steps.f[t], steps.g[t], steps.o[t]
        seen = np.tanh(steps.c[t])
        if _returns_cell(call):
            dc = dc + dy[t]
        else:
            dh = dh + dy[t]
        do[t] = dh * seen * o * (1 - o)
        dc = dc + dh * o * (1 - np.square(seen)) + to_o * do[t]
        di[t] = dc * g * i * (1 - i)
        df[t] = dc * previous[t] * f * (1 - f)
        dg[t] = dc * i * (1 - np.square(g))
        dh = np.concatenate(dgates[:, t], axis=1) @ weights.recurrent
        dc = dc * f + to_i * di[t] + to_f * df[t]
    dsums = np.concatenate(dgates, axis=2)
    dpeepholes = None
    if weights.peepholes is not None:
        pairs = ((di, previous), (df, previous), (do, steps.c))
        dpeepholes = np.stack([(slope * seen).sum(axis=(0, 1)) for slope, seen in pairs])
    return Slopes(dsums, outer(dsums, before(steps.h)), dsums, dpeepholes)


def _returns_cell(call: Call) -> bool:
    return "cell-state-returned" in call.quirks


def _peepholes(weights: CellWeights) -> np.ndarray:
    """What the gates i, f and o see of the cell's state: nothing, in an LSTM as it is meant."""
    shape = (3, weights.recurrent.shape[1])
    return (
        np.zeros(shape, weights.recurrent.dtype) if weights.peepholes is None else weights.peepholes
    )


LSTM_CELL = Recurrence(_forward, _backward)
