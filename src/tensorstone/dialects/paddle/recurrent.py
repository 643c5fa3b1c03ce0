"""Paddle's words for layers over sequences: batches first, a pair of results unpacked."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.writing import Unpacked, call, number
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "nn.SimpleRNN", "LSTM": "nn.LSTM", "GRU": "nn.GRU"}


def module(leaf: Leaf, layer: R.Recurrent) -> str:
    """The fused layer; with one bias, told to keep the other at zero.

    By a learning rate of zero: the kernel's backward pass fails where a bias is not trainable, and
    without a second bias there is no kernel, only a loop over the steps.
    """
    if isinstance(layer, R.GRU) and not layer.reset_after:
        raise Unsupported(
            f"{leaf.name}: nn.GRU applies the reset gate after the product with the state"
        )
    return call(
        KINDS[layer.kind],
        number(leaf.inputs[-1]),
        number(layer.units),
        direction='"bidirect"' if layer.bidirectional else None,
        bias_hh_attr="ZERO" if layer.biases == 1 else None,
    )


def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """A recurrent layer's results taken apart, and the one that is meant."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent):
        return None
    if layer.sequence:
        return [f"{variable}, _ = self.{leaf.name}({x})"], variable
    results = "_, (h, _)" if isinstance(layer, R.LSTM) else "_, h"
    if layer.bidirectional:
        note, last = "each direction's last state", "paddle.concat([h[0], h[1]], axis=1)"
    else:
        note, last = "the state after the last step", "h[-1]"
    return [f"{results} = self.{leaf.name}({x})  # h: {note}"], last
