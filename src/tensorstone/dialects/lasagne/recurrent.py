"""Lasagne's recurrent layers: every step's output, of which one may be sliced."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import Unpacked, call, number
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "RecurrentLayer", "LSTM": "LSTMLayer", "GRU": "GRULayer"}
# Where Lasagne's defaults are another layer: rectified steps, peepholes, a trained first state.
PLAINLY = {
    "SimpleRNN": {"nonlinearity": "tanh"},
    "LSTM": {"peepholes": "False"},
    "GRU": {"learn_init": "False"},
}


def unpacked(leaf: Leaf, layer: R.Recurrent, x: str, variable: str) -> Unpacked:
    """One layer for each direction, joined; the step that each has seen last, where it is asked."""
    _check(leaf, layer)
    if not layer.bidirectional:
        made = _layer(layer, x)
        if layer.sequence:
            return [], made
        return [f"{variable} = {made}"], last_step(variable)
    ahead, back = f"{variable}_ahead", f"{variable}_back"
    lines = [f"{ahead} = {_layer(layer, x)}", f"{back} = {_layer(layer, x, backwards='True')}"]
    if layer.sequence:
        return lines, f"ConcatLayer([{ahead}, {back}], axis=2)"
    lines += [
        f"{ahead} = {last_step(ahead)}",
        "# Read backwards, the last step is the first.",
        f"{back} = {first_step(back)}",
    ]
    return lines, f"ConcatLayer([{ahead}, {back}])"


def every_step(leaf: Leaf, layer: R.TimeDistributed, made: str, x: str, variable: str) -> Unpacked:
    """A dense layer reads rows: steps are made into samples and back (`made` reads `variable`)."""
    # [2] is the size of axis 2, the features.
    lines = [f"{variable} = ReshapeLayer({x}, (-1, [2]))", f"{variable} = {made}"]
    time, units = number(leaf.inputs[0]), number(layer.units)
    return lines, f"ReshapeLayer({variable}, (-1, {time}, {units}))"


def last_step(x: str) -> str:
    return f"SliceLayer({x}, -1, axis=1)"


def first_step(x: str) -> str:
    return f"SliceLayer({x}, 0, axis=1)"


def _layer(layer: R.Recurrent, x: str, backwards: str | None = None) -> str:
    units = number(layer.units)
    return call(KINDS[layer.kind], x, units, backwards=backwards, **PLAINLY[layer.kind])


def _check(leaf: Leaf, layer: R.Recurrent) -> None:
    if layer.biases == 2:
        raise Unsupported(messages.one_bias(leaf.name, f"Lasagne's {KINDS[layer.kind]}"))
    if isinstance(layer, R.GRU) and not layer.reset_after:
        raise Unsupported(messages.resets_after(leaf.name, "Lasagne's GRULayer"))
