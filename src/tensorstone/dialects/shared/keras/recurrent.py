"""Keras's recurrent layers."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.keras.steps import Step
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

EVERY_STEP = "# Dense works on the last axis: the same weights at every step."
UPDATE_FIRST = "# Gate order z, r, n."
TWO_BIASES = "# Gate order z, r, n, with a bias on each side."


def step(leaf: Leaf) -> Step | None:
    """The call that says a layer of this family; None for any other layer."""
    layer = leaf.layer
    match layer:
        case R.Embedding():
            return Step(call("layers.Embedding", number(layer.vocabulary), number(layer.features)))
        case R.Recurrent():
            return _recurrent(leaf, layer)
        case R.LastStep():
            return Step("{x}[:, -1]", is_layer=False)
        case R.FirstLast():
            return Step("layers.concatenate([{x}[:, 0], {x}[:, -1]])", is_layer=False)
    return None


def _recurrent(leaf: Leaf, layer: R.Recurrent) -> Step:
    _refuse_biases(leaf, layer)
    after, note = None, ""
    if isinstance(layer, R.GRU):
        after = unless(True, layer.reset_after, "False")
        note = TWO_BIASES if layer.biases == 2 else UPDATE_FIRST
    sequence = unless(False, layer.sequence, "True")
    units = number(layer.units)
    text = call(f"layers.{layer.kind}", units, return_sequences=sequence, reset_after=after)
    return Step(call("layers.Bidirectional", text) if layer.bidirectional else text, note=note)


def _refuse_biases(leaf: Leaf, layer: R.Recurrent) -> None:
    """A layer of Keras's has as many biases as it has, and a variable trains whole or not."""
    if not isinstance(layer, R.GRU):
        if layer.biases == 2:
            raise Unsupported(messages.one_bias(leaf.path, f"Keras's {layer.kind}"))
    elif layer.reset_after and layer.biases == 1:
        raise Unsupported(messages.two_biases_in_one(leaf.path, "Keras"))
