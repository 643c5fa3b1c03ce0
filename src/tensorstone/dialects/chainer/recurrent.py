"""Chainer's recurrent layers: NStep links, which take a list of sequences."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.chainer.folding import ChainerFolding
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import Unpacked, number
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

KINDS = {"SimpleRNN": "RNNTanh", "LSTM": "LSTM", "GRU": "GRU"}


def link(leaf: Leaf, layer: R.Recurrent) -> str:
    """One layer without dropout; with one bias, in the function that takes the other away."""
    if isinstance(layer, R.GRU) and not layer.reset_after:
        raise Unsupported(messages.resets_after(leaf.name, "L.NStepGRU"))
    kind = f"L.NStep{'Bi' if layer.bidirectional else ''}{KINDS[layer.kind]}"
    made = f"{kind}(1, {number(leaf.inputs[-1])}, {number(layer.units)}, dropout=0)"
    return f"one_bias({made})" if layer.biases == 1 else made


def unpacked(leaf: Leaf, x: str, variable: str, folded: ChainerFolding) -> Unpacked | None:
    """A recurrent layer's results taken apart, and the one that is meant."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent):
        return None
    # The states to begin with, and those to end with: an LSTM has two, h and c.
    nothing, rest = ("None, None", "_, _") if isinstance(layer, R.LSTM) else ("None", "_")
    sequences = x if leaf.path in folded.reading_list else f"F.separate({x})"
    run = f"self.{leaf.name}({nothing}, {sequences})"
    if layer.sequence:
        result = variable if leaf.path in folded.listed else f"F.stack({variable})"
        return [f"{rest}, {variable} = {run}"], result
    if layer.bidirectional:
        note, last = "# h is each direction's last state.", "F.concat((h[0], h[1]))"
    else:
        note, last = "# h is the state after the last step.", "h[0]"
    return [note, f"h, {rest} = {run}"], last


def takes_one_step(leaf: Leaf) -> bool:
    """Whether its gradients are of one step: views of a larger array, not sums."""
    return isinstance(leaf.layer, R.Recurrent) and leaf.inputs[0] == 1
