"""Paddle's recurrent layers: batches first, a pair of results unpacked."""

from __future__ import annotations

from tensorstone.dialects.shared.torch_like import recurrent as torch_like
from tensorstone.dialects.shared.writing import Unpacked, call, number
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "nn.SimpleRNN", "LSTM": "nn.LSTM", "GRU": "nn.GRU"}


def module(leaf: Leaf, layer: R.Recurrent) -> str:
    """The fused layer; with one bias, told to keep the other at zero.

    By a learning rate of zero: the kernel's backward pass fails where a bias is not trainable, and
    without a second bias there is no kernel, only a loop over the steps.
    """
    torch_like.refuse_reset_before(leaf)
    return call(
        KINDS[layer.kind],
        number(leaf.inputs[-1]),
        number(layer.units),
        direction='"bidirect"' if layer.bidirectional else None,
        bias_hh_attr="ZERO" if layer.biases == 1 else None,
    )


def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """A recurrent layer's results taken apart, and the one that is meant."""
    return torch_like.unpacked(leaf, x, variable, "paddle.concat([{}], axis=1)")
