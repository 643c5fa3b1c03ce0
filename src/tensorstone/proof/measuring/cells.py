"""Recurrent cells with other functions in their gates, over batch × time × features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tensorstone.models import recurrent as R
from tensorstone.oracle.nonlinearities import sigmoid

Curve = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class CellForm:
    """What a cell's gates, its candidate and its output go through, and where it starts."""

    gate: Curve = sigmoid
    candidate: Curve = np.tanh
    output: Curve = np.tanh  # of an LSTM's state
    state: Curve = lambda c: c  # what becomes of an LSTM's state after each step
    coupled: bool = False  # an LSTM's input gate is what its forget gate leaves
    start: float = 0.0  # every number of the first state


def run(
    layer: R.Recurrent, weights: Mapping[str, np.ndarray], x: np.ndarray, cell: CellForm
) -> np.ndarray:
    """The layer's output, with the cell's own functions."""
    parts = []
    for side in layer.directions:
        read = x[:, ::-1] if side else x
        states = _STEPPED[type(layer)](layer, _of(weights, side), read, cell)
        if not layer.sequence:
            parts.append(states[:, -1])
        else:
            parts.append(states[:, ::-1] if side else states)
    return np.concatenate(parts, axis=-1)


def _of(weights: Mapping[str, np.ndarray], side: str) -> dict[str, np.ndarray]:
    """One direction's weights, with zeros for a second bias it has not."""
    found = {r.removeprefix(side): w for r, w in weights.items() if r.startswith(side or ("",))}
    first = found.get("bias", found.get("input_bias"))
    assert first is not None
    second = found.get("recurrent_bias", np.zeros_like(first))
    return {"W": found["input"], "U": found["recurrent"], "b": first, "d": second}


def _simple(
    layer: R.Recurrent, w: dict[str, np.ndarray], x: np.ndarray, cell: CellForm
) -> np.ndarray:
    h = np.full((len(x), layer.units), cell.start)
    found = []
    for t in range(x.shape[1]):
        h = cell.candidate(x[:, t] @ w["W"].T + w["b"] + h @ w["U"].T + w["d"])
        found.append(h)
    return np.stack(found, axis=1)


def _lstm(
    layer: R.Recurrent, w: dict[str, np.ndarray], x: np.ndarray, cell: CellForm
) -> np.ndarray:
    h = c = np.full((len(x), layer.units), cell.start)
    found = []
    for t in range(x.shape[1]):
        sums = x[:, t] @ w["W"].T + w["b"] + h @ w["U"].T + w["d"]
        i, f, g, o = np.split(sums, 4, axis=1)
        forget = cell.gate(f)
        given = 1 - forget if cell.coupled else cell.gate(i)
        c = cell.state(forget * c + given * cell.candidate(g))
        h = cell.gate(o) * cell.output(c)
        found.append(h)
    return np.stack(found, axis=1)


def _gru(layer: R.Recurrent, w: dict[str, np.ndarray], x: np.ndarray, cell: CellForm) -> np.ndarray:
    h = np.full((len(x), layer.units), cell.start)
    units, found = layer.units, []
    for t in range(x.shape[1]):
        given = x[:, t] @ w["W"].T + w["b"]
        product = h @ w["U"].T + w["d"]
        r, z = np.split(cell.gate(given[:, : 2 * units] + product[:, : 2 * units]), 2, axis=1)
        if getattr(layer, "reset_after", True):
            inner = r * product[:, 2 * units :]
        else:
            inner = (r * h) @ w["U"][2 * units :].T + w["d"][2 * units :]
        n = cell.candidate(given[:, 2 * units :] + inner)
        h = (1 - z) * n + z * h
        found.append(h)
    return np.stack(found, axis=1)


_STEPPED = {R.SimpleRNN: _simple, R.LSTM: _lstm, R.GRU: _gru}
