"""Flax NNX's recurrent layers: a cell, run by nnx.RNN, twice for two directions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import Unpacked, call, number
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

CELLS = {"SimpleRNN": "SimpleCell", "LSTM": "OptimizedLSTMCell", "GRU": "GRUCell"}


@dataclass(frozen=True)
class TwoBiasCell:
    """Flax's cell has one bias: a class that gives the other side's matrix its own."""

    name: str
    base: str
    side: str  # the matrix Flax leaves without
    reads: str
    rows: str
    initial: str  # what that matrix begins as, where it is not a Linear's default


_ORTHOGONAL = "kernel_init=nnx.initializers.orthogonal(), "
TWO_BIAS_CELLS = {
    "SimpleRNN": TwoBiasCell(
        "TwoBiasSimpleCell", "SimpleCell", "dense_h", "units", "units", _ORTHOGONAL
    ),
    "LSTM": TwoBiasCell(
        "TwoBiasLSTMCell", "OptimizedLSTMCell", "dense_i", "features", "4 * units", ""
    ),
    "GRU": TwoBiasCell("TwoBiasGRUCell", "GRUCell", "dense_h", "units", "3 * units", _ORTHOGONAL),
}


def own_cells(layers: Iterable[L.Layer]) -> list[TwoBiasCell]:
    """The cells a program has to define for itself, each once."""
    kinds = {layer.kind for layer in layers if isinstance(layer, R.Recurrent) and layer.biases == 2}
    return [cell for kind, cell in TWO_BIAS_CELLS.items() if kind in kinds]


def module(leaf: Leaf, layer: R.Recurrent) -> str:
    """The layer's construction."""
    if isinstance(layer, R.GRU) and not layer.reset_after:
        raise Unsupported(messages.resets_after(leaf.name, "nnx.GRUCell"))
    own = layer.biases == 2
    cell = TWO_BIAS_CELLS[layer.kind].name if own else f"nnx.{CELLS[layer.kind]}"
    run = f"nnx.RNN({call(cell, number(leaf.inputs[-1]), number(layer.units), rngs='rngs')})"
    return f"nnx.Bidirectional({run}, {run})" if layer.bidirectional else run


def expression(leaf: Leaf, layer: R.Recurrent, x: str) -> str:
    """The layer applied to `x`: every step's output, or the last one's."""
    return f"self.{leaf.name}({x})" + ("" if layer.sequence else "[:, -1]")


def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """Both directions' last states: in time's order the backward one is not the last output."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent) or layer.sequence or not layer.bidirectional:
        return None
    if isinstance(layer, R.LSTM):
        note, carries = "# Each direction's last h; its carry is (c, h).", "(_, ahead), (_, back)"
    else:
        note, carries = "# Each direction's last state.", "ahead, back"
    statement = f"({carries}), _ = self.{leaf.name}({x}, return_carry=True)"
    return [note, statement], "jnp.concatenate([ahead, back], axis=-1)"
