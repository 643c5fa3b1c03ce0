"""CNTK's recurrent layers: a cell, and Recurrence or Fold that runs it."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import call, number
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

CELLS = {"SimpleRNN": "RNNStep", "LSTM": "LSTM", "GRU": "GRU"}
EXACT = 2**24  # float32 counts no further without leaving numbers out


def expressions(leaf: Leaf, layer: R.Recurrent) -> list[str]:
    """A function for each direction. Fold keeps the last step, Recurrence every one."""
    _check(leaf, layer)
    run = "C.layers.Recurrence" if layer.sequence else "C.layers.Fold"
    cell = call(
        f"C.layers.{CELLS[layer.kind]}",
        number(layer.units),
        activation="C.tanh" if isinstance(layer, R.SimpleRNN) else None,  # a sigmoid by default
    )
    return [call(run, cell, go_backwards="True" if side else None) for side in layer.directions]


def check_tokens(leaf: Leaf, layer: R.Embedding) -> None:
    if layer.vocabulary > EXACT:
        raise Unsupported(messages.tokens_as_floats(leaf.name, "CNTK", EXACT))


def _check(leaf: Leaf, layer: R.Recurrent) -> None:
    if layer.biases == 2:
        raise Unsupported(messages.one_bias(leaf.name, f"CNTK's {CELLS[layer.kind]}"))
    if isinstance(layer, R.GRU) and layer.reset_after:
        raise Unsupported(messages.resets_before(leaf.name, "CNTK's GRU"))
