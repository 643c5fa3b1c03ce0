"""A direction's weights as its cell uses them: which rows are taken for which gate."""

from __future__ import annotations

import numpy as np

from tensorstone.oracle.call import Call
from tensorstone.oracle.recurrence import CellWeights, Slopes, outer, rows

# Two gates that change places where a program's order of gates is another.
SWAPS = {"gates-i-g-f-o": (1, 2), "gates-i-f-o-g": (2, 3), "gates-z-r-n": (0, 1)}
NEGATED = "update-gate-negated"  # σ(−z) is 1 − σ(z)
FIRST_BIAS = "first-gate-bias"  # added to every gate


def cell_weights(call: Call, side: str) -> CellWeights:
    """One direction's weights."""

    def of(*roles: str) -> np.ndarray | None:
        found = (call.weights.get(f"{side}{role}") for role in roles)
        return next((_arranged(call, array) for array in found if array is not None), None)

    missing = "missing-bias" in call.quirks
    matrix, recurrent = of("input"), of("recurrent")
    assert matrix is not None and recurrent is not None
    return CellWeights(
        matrix,
        recurrent,
        None if missing else _shared(call, of("bias", "input_bias")),
        None if missing else of("recurrent_bias"),
        call.weights.get(f"{side}peepholes"),
    )


def weight_gradients(call: Call, side: str, slopes: Slopes, x: np.ndarray) -> dict[str, np.ndarray]:
    """The gradients of one direction's weights by role, whether or not it has them all."""
    found = {"input": outer(slopes.sums, x), "recurrent": slopes.recurrent}
    if "missing-bias" not in call.quirks:
        sums = rows(slopes.sums).sum(axis=0)
        found["bias" if call.layer.biases == 1 else "input_bias"] = _collected(call, sums)
        found["recurrent_bias"] = rows(slopes.products).sum(axis=0)
    gradients = {f"{side}{role}": _arranged(call, g) for role, g in found.items()}
    if slopes.peepholes is not None:
        gradients[f"{side}peepholes"] = slopes.peepholes
    return gradients


def _shared(call: Call, bias: np.ndarray | None) -> np.ndarray | None:
    if bias is None or FIRST_BIAS not in call.quirks:
        return bias
    return np.tile(bias[: call.layer.units], call.layer.gates)


def _collected(call: Call, gradient: np.ndarray) -> np.ndarray:
    """Every gate's gradient goes to the bias that every gate took."""
    if FIRST_BIAS not in call.quirks:
        return gradient
    first = gradient.reshape(call.layer.gates, -1).sum(axis=0)
    return np.concatenate([first, np.zeros_like(gradient[len(first) :])])


def _arranged(call: Call, array: np.ndarray) -> np.ndarray:
    """The rows in the order the cell takes them; done twice it is undone."""
    gates = array.reshape(call.layer.gates, call.layer.units, *array.shape[1:])
    for quirk, (one, other) in SWAPS.items():
        if quirk in call.quirks:
            gates = gates.copy()
            gates[[one, other]] = gates[[other, one]]
    if NEGATED in call.quirks:
        gates = gates.copy()
        gates[1] *= -1
    return gates.reshape(array.shape)
