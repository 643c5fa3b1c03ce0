"""MindSpore's words for layers over sequences: batches first, a pair of results unpacked."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.torch_words import last_state
from tensorstone.dialects.writing import Unpacked, call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "nn.RNN", "LSTM": "nn.LSTM", "GRU": "nn.GRU"}


def cell(leaf: Leaf, layer: R.Recurrent) -> str:
    """MindSpore's layer; with one bias, wrapped in the function that keeps the other at zero."""
    if isinstance(layer, R.GRU) and not layer.reset_after:
        raise Unsupported(
            f"{leaf.name}: nn.GRU applies the reset gate after the product with the state"
        )
    made = call(
        KINDS[layer.kind],
        number(leaf.inputs[-1]),
        number(layer.units),
        batch_first="True",
        bidirectional=unless(False, layer.bidirectional, "True"),
    )
    return f"one_bias({made})" if layer.biases == 1 else made


def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """A recurrent layer's results taken apart, and the one that is meant."""
    return last_state(leaf, x, variable, cat="ops.cat([{}], axis=1)")
