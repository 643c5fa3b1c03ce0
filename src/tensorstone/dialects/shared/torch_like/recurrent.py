"""Fused recurrent layers: batches first, a pair of results unpacked."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import Unpacked, call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "nn.RNN", "LSTM": "nn.LSTM", "GRU": "nn.GRU"}


def module(leaf: Leaf, layer: R.Recurrent) -> str:
    """The fused layer; with one bias, wrapped in the function that keeps the other at zero."""
    refuse_reset_before(leaf)
    made = call(
        KINDS[layer.kind],
        number(leaf.inputs[-1]),
        number(layer.units),
        batch_first="True",
        bidirectional=unless(False, layer.bidirectional, "True"),
    )
    return f"one_bias({made})" if layer.biases == 1 else made


def refuse_reset_before(leaf: Leaf) -> None:
    """The fused GRU has one form."""
    if isinstance(leaf.layer, R.GRU) and not leaf.layer.reset_after:
        raise Unsupported(messages.resets_after(leaf.name, "nn.GRU"))


def unpacked(leaf: Leaf, x: str, variable: str, concat: str) -> Unpacked | None:
    """A recurrent layer's results taken apart, and the one that is meant; `concat` joins `{}`."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent):
        return None
    if layer.sequence:
        return [f"{variable}, _ = self.{leaf.name}({x})"], variable
    results = "_, (h, _)" if isinstance(layer, R.LSTM) else "_, h"
    if layer.bidirectional:
        note, last = "each direction's last state", concat.format("h[0], h[1]")
    else:
        note, last = "the state after the last step", "h[-1]"
    return [f"{results} = self.{leaf.name}({x})  # h: {note}"], last
