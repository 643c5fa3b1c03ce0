"""Recurrent layers: a cell run over the sequence, in one direction or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorstone.oracle.call import Backward, Call, Operation
from tensorstone.oracle.direction import DIRECTION_QUIRKS, Direction, directions
from tensorstone.oracle.gates import FIRST_BIAS, NEGATED, cell_weights, weight_gradients
from tensorstone.oracle.gru import GRU_CELL
from tensorstone.oracle.lstm import LSTM_CELL
from tensorstone.oracle.recurrence import CellWeights, Recurrence
from tensorstone.oracle.simple_rnn import SIMPLE_RNN_CELL


@dataclass(frozen=True)
class _Direction:
    """One direction that has been computed."""

    reading: Direction
    weights: CellWeights
    x: np.ndarray  # as it was read
    steps: Any  # what the cell saved


def _recurrent(cell: Recurrence, *quirks: str) -> Operation:
    def forward(call: Call, x: np.ndarray) -> tuple[np.ndarray, list[_Direction]]:
        outputs, saved = [], []
        for reading in directions(call):
            weights = cell_weights(call, reading.side)
            given = reading.reads.scanned(x)
            sums = given @ weights.input.T
            if weights.bias is not None:
                sums += weights.bias
            y, steps = cell.forward(call, weights, sums)
            y = reading.writes.restored(y, len(x))
            outputs.append(y if call.layer.sequence else y[:, reading.last])
            saved.append(_Direction(reading, weights, given, steps))
        return np.concatenate(outputs, axis=-1), saved

    def backward(call: Call, saved: list[_Direction], dy: np.ndarray) -> Backward:
        dx: Any = 0
        gradients: dict[str, np.ndarray] = {}
        for done, part in zip(saved, np.split(dy, len(saved), axis=-1), strict=True):
            reading, (steps, batch, _) = done.reading, done.x.shape
            if not call.layer.sequence:
                part = _placed(part, steps * batch // len(dy), reading.last)
            dsteps = reading.writes.scanned(part)
            slopes = cell.backward(call, done.weights, done.steps, dsteps)
            gradients |= weight_gradients(call, reading.side, slopes, done.x)
            if call.carries:
                dx = dx + reading.reads.restored(slopes.sums @ done.weights.input, len(dy))
        return (dx,), gradients

    known = DIRECTION_QUIRKS | {"missing-bias", *quirks}
    return Operation(forward, backward, approximated=True, quirks=known)


def _placed(step: np.ndarray, time: int, at: int) -> np.ndarray:
    """The gradient of a whole sequence of which only one step was used."""
    sequence = np.zeros((len(step), time, step.shape[1]), step.dtype)
    sequence[:, at] = step
    return sequence


def _last_step(call: Call, x: np.ndarray) -> tuple[np.ndarray, int]:
    return x[:, -1], x.shape[1]


def _last_step_backward(call: Call, time: int, dy: np.ndarray) -> Backward:
    return (_placed(dy, time, -1),), {}


def _ends(call: Call, x: np.ndarray) -> tuple[np.ndarray, int]:
    return np.concatenate([x[:, 0], x[:, -1]], axis=1), x.shape[1]


def _ends_backward(call: Call, time: int, dy: np.ndarray) -> Backward:
    first, last = np.split(dy, 2, axis=1)
    return (_placed(first, time, 0) + _placed(last, time, -1),), {}


SIMPLE_RNN = _recurrent(SIMPLE_RNN_CELL)
LSTM = _recurrent(
    LSTM_CELL,
    "gates-i-g-f-o",
    "gates-i-f-o-g",
    "forget-bias-one",
    "cell-state-returned",
    FIRST_BIAS,
)
GRU = _recurrent(GRU_CELL, "gates-z-r-n", NEGATED, "reset-before", "reset-after")
LAST_STEP = Operation(_last_step, _last_step_backward, approximated=False)
FIRST_LAST = Operation(_ends, _ends_backward, approximated=False)
