"""Keras 2's recurrent layers."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.keras2.construction import Construction
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

UPDATE_FIRST = "# Gate order z, r, n."
TWO_BIASES = "# Gate order z, r, n, with a bias on each side."
UNROLLED = {
    "cntk": "# Unrolled: else Keras on CNTK returns an LSTM's cell state.",
    "mxnet": "# Unrolled: else Keras on MXNet never uses a recurrent layer's weights.",
}
# The layers that are wrong on a backend unless they are unrolled, and their name.
WRONG_ROLLED: dict[str, tuple[type[R.Recurrent], str]] = {
    "cntk": (R.LSTM, "LSTM"),
    "mxnet": (R.Recurrent, "recurrent layer"),
}
JOINED = "# Bidirectional itself would join the directions along the batch."


@dataclass(frozen=True)
class Sequences:
    """How a backend's users write layers over sequences."""

    backend: str
    unrolled: bool  # those that would be wrong otherwise
    own: tuple[str, ...] = ()  # the kinds of which the program has classes of its own

    def steps(self, leaf: Leaf) -> list[Construction]:
        """The constructions of a layer of this family; none for any other layer."""
        layer = leaf.layer
        match layer:
            case R.Embedding():
                given = number(layer.vocabulary), number(layer.features)
                return [Construction(call("layers.Embedding", *given))]
            case R.Recurrent():
                return self._recurrent(leaf, layer)
            case R.LastStep():
                return [_slice(leaf, self._last)]
            case R.FirstLast():
                return [_slice(leaf, f"K.concatenate([{self._first}, {self._last}], axis=1)")]
        return []

    @property
    def _last(self) -> str:
        """An index leaves an axis of one on CNTK."""
        return "K.squeeze(x[:, -1], 1)" if self.backend == "cntk" else "x[:, -1]"

    @property
    def _first(self) -> str:
        """On MXNet too, unless it is the last."""
        firsts = {"cntk": "K.squeeze(x[:, 0], 1)", "mxnet": "K.reverse(x, 1)[:, -1]"}
        return firsts.get(self.backend, "x[:, 0]")

    def _recurrent(self, leaf: Leaf, layer: R.Recurrent) -> list[Construction]:
        _refuse_biases(leaf, layer)
        if self.backend == "mxnet" and isinstance(layer, R.LSTM) and layer.units == 1:
            raise Unsupported(f"{leaf.path}: Keras on MXNet fails to make an LSTM of one unit")
        unrolled = self.unrolled and isinstance(layer, WRONG_ROLLED[self.backend][0])
        alone = unrolled and leaf.inputs[0] == 1
        if alone and layer.sequence:
            raise Unsupported(
                f"{leaf.path}: Keras refuses to unroll a sequence of one step, and on "
                f"{self.backend} only unrolled layers are right"
            )
        gru = isinstance(layer, R.GRU)
        text = call(
            layer.kind if layer.kind in self.own else f"layers.{layer.kind}",
            number(layer.units),
            recurrent_activation='"sigmoid"' if self._hard(layer) else None,
            return_sequences=unless(False, layer.sequence, "True"),
            reset_after="True" if isinstance(layer, R.GRU) and layer.reset_after else None,
            unroll="True" if unrolled and not alone else None,
        )
        order = TWO_BIASES if layer.biases == 2 else UPDATE_FIRST
        notes = [UNROLLED[self.backend]] if unrolled and not alone else []
        notes += [order] * gru
        note = "\n".join(notes)
        if not layer.bidirectional:
            return [Construction(text, note)]
        if self.backend == "mxnet" and self.unrolled:
            both = call("layers.Bidirectional", text, merge_mode="None")
            apart = Construction(both, note, listed=False)
            return [apart, Construction("layers.concatenate", JOINED, listed=False)]
        return [Construction(call("layers.Bidirectional", text), note)]

    def _hard(self, layer: R.Recurrent) -> bool:
        """Whether this Keras's gates are piecewise linear by default; 2.3 has changed that."""
        return self.backend == "mxnet" and not isinstance(layer, R.SimpleRNN)


def _slice(leaf: Leaf, expression: str) -> Construction:
    """A function of a sequence; only on CNTK would Keras find out what shape it gives."""
    shape = f"({number(leaf.outputs[0])},)"
    return Construction(call("layers.Lambda", f"lambda x: {expression}", output_shape=shape))


def _refuse_biases(leaf: Leaf, layer: R.Recurrent) -> None:
    """A layer of Keras's has as many biases as it has, and a variable trains whole or not."""
    if not isinstance(layer, R.GRU):
        if layer.biases == 2:
            raise Unsupported(messages.one_bias(leaf.path, f"Keras's {layer.kind}"))
    elif layer.reset_after and layer.biases == 1:
        raise Unsupported(messages.two_biases_in_one(leaf.path, "Keras"))
