"""tinygrad's recurrent layers: it has an LSTM's cell, and no other."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import Unpacked, call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

# The loop becomes one graph, and scheduling it takes longer than in proportion: a proof took 40 s
# of processor time for 10 steps, 100 s for 40, and was not done after 10 minutes for 250.
LONGEST = 100


def module(leaf: Leaf, layer: R.Recurrent) -> str:
    """The program's own LSTM, a loop over nn.LSTMCell."""
    if isinstance(layer, R.GRU):
        raise Unsupported(f"{leaf.name}: tinygrad has no GRU")
    if not isinstance(layer, R.LSTM):
        raise Unsupported(f"{leaf.name}: tinygrad has no recurrent layer but the LSTM's cell")
    steps = leaf.inputs[0]
    if steps > LONGEST:
        raise Unsupported(f"{leaf.name}: tinygrad does not schedule {steps} steps in ten minutes")
    made = call(
        "LSTM",
        number(leaf.inputs[-1]),
        number(layer.units),
        biases=unless(1, layer.biases, "2"),
    )
    return f"Bidirectional({made}, {made})" if layer.bidirectional else made


def expression(leaf: Leaf, layer: R.Recurrent, x: str) -> str:
    """The layer applied to `x`: every step's output, or the last one's."""
    return f"self.{leaf.name}({x})" + ("" if layer.sequence else "[:, -1]")


def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    """Two directions give a pair, each in the order in which it reads."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent) or not layer.bidirectional:
        return None
    ends = "ahead, back.flip(1), dim=2" if layer.sequence else "ahead[:, -1], back[:, -1], dim=1"
    return [f"ahead, back = self.{leaf.name}({x})"], f"Tensor.cat({ends})"
