"""Caffe2's recurrent layers: cells run over the first axis by a net of their own."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

CALLS = {"SimpleRNN": "rnn_cell.BasicRNN", "LSTM": "rnn_cell.LSTM", "GRU": "gru_cell.GRU"}
STATE_BIASES = {
    "SimpleRNN": ("gates_t_b",),
    "LSTM": ("gates_t_b",),
    "GRU": ("reset_gate_t_b", "update_gate_t_b", "output_gate_t_b"),
}


@dataclass(frozen=True)
class CellFunction:
    """One kind of layer as a program's function: its name, the call, biases it keeps at zero."""

    name: str
    call: str
    results: str
    untrained: tuple[str, ...]


def cell(layer: R.Recurrent, taken: set[str]) -> CellFunction:
    """The function for layers like this one, named apart from the blocks' functions."""
    before = isinstance(layer, R.GRU) and not layer.reset_after
    name = "_".join(
        [layer.stem, *(["reset_before"] if before else []), *(["two_biases"] * (layer.biases - 1))]
    )
    states = "(zeros, zeros)" if isinstance(layer, R.LSTM) else "(zeros,)"
    after = isinstance(layer, R.GRU) and layer.reset_after
    made = call(
        CALLS[layer.kind],
        *("model", "x", "None", states, "dim_in", "dim_out", "name"),
        activation='"tanh"' if isinstance(layer, R.SimpleRNN) else None,
        linear_before_reset="True" if after else None,
    )
    return CellFunction(
        f"{name}_layer" if name in taken else name,
        made.removesuffix(")") + ", **options)",
        "every, last, _, _" if isinstance(layer, R.LSTM) else "every, last",
        STATE_BIASES[layer.kind] if layer.biases == 1 else (),
    )


def applied(leaf: Leaf, layer: R.Recurrent, function: str, x: str) -> str:
    """The layer applied to the blob `x`, samples × steps × features."""
    return call(
        "bidirectional" if layer.bidirectional else "recurrent",
        function,
        "model",
        x,
        f'"{leaf.name}"',
        number(leaf.inputs[-1]),
        number(layer.units),
        "is_test",
        steps=number(leaf.inputs[0]) if layer.bidirectional else None,
        sequence=unless(False, layer.sequence, "True"),
    )
