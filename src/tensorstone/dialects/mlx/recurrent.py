"""MLX's recurrent layers return the state of every step; a bidirectional layer is two."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tensorstone.dialects.shared.torch_like.recurrent import refuse_reset_before
from tensorstone.dialects.shared.writing import Unpacked, number
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "RNN", "LSTM": "LSTM", "GRU": "GRU"}


@dataclass(frozen=True)
class TwoBiasLayer:
    """A class that the program defines: the model has two biases a gate, MLX's layer has one."""

    name: str
    base: str
    bias: str  # what MLX calls the bias it has
    rows: str  # length of the added bias
    sum: str  # expression that replaces MLX's bias


TWO_BIAS_LAYERS = {
    "SimpleRNN": TwoBiasLayer("TwoBiasRNN", "RNN", "bias", "units", "bias + self.state_bias"),
    "LSTM": TwoBiasLayer("TwoBiasLSTM", "LSTM", "bias", "4 * units", "bias + self.state_bias"),
    "GRU": TwoBiasLayer(
        "TwoBiasGRU", "GRU", "b", "2 * units", "b + mx.pad(self.state_bias, (0, self.hidden_size))"
    ),
}


def two_bias_layers(layers: Iterable[L.Layer]) -> list[TwoBiasLayer]:
    """The layers a program has to define for itself, each once."""
    kinds = {layer.kind for layer in layers if isinstance(layer, R.Recurrent) and layer.biases == 2}
    return [own for kind, own in TWO_BIAS_LAYERS.items() if kind in kinds]


def has_spare_bias(layer: L.Layer) -> bool:
    """Whether MLX's layer has a bias the model has not: that of a GRU's candidate."""
    return isinstance(layer, R.GRU) and layer.biases == 1


def module(leaf: Leaf, layer: R.Recurrent) -> str:
    """The layer's construction."""
    refuse_reset_before(leaf)
    own = TWO_BIAS_LAYERS[layer.kind].name if layer.biases == 2 else f"nn.{KINDS[layer.kind]}"
    made = f"{own}({number(leaf.inputs[-1])}, {number(layer.units)})"
    if has_spare_bias(layer):
        made = f"one_bias({made})"
    return f"Bidirectional({made}, {made})" if layer.bidirectional else made


def expression(leaf: Leaf, layer: R.Recurrent, x: str) -> str:
    """The layer applied to `x`: every step's output, or the last one's."""
    return f"self.{leaf.name}({x})" + ("" if layer.sequence else "[:, -1]")


def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """Results taken apart: an LSTM gives its cell's states too, two directions give a pair."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent):
        return None
    run = f"self.{leaf.name}({x})"
    if layer.bidirectional:
        pair = "(ahead, _), (back, _)" if isinstance(layer, R.LSTM) else "ahead, back"
        ends = "ahead, back[:, ::-1]" if layer.sequence else "ahead[:, -1], back[:, -1]"
        return [f"{pair} = {run}"], f"mx.concatenate([{ends}], axis=-1)"
    if isinstance(layer, R.LSTM):
        return [f"{variable}, _ = {run}"], variable + ("" if layer.sequence else "[:, -1]")
    return None
