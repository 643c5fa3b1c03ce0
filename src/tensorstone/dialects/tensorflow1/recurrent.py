"""TensorFlow 1's recurrent layers: its cells under dynamic_rnn."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.keras.steps import Step
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

CELLS = {
    "SimpleRNN": "tf.nn.rnn_cell.BasicRNNCell({units})",
    "LSTM": "tf.nn.rnn_cell.LSTMCell({units}, forget_bias=0.0)",
    "GRU": "tf.nn.rnn_cell.GRUCell({units})",
}
NO_FORGETTING = "# By default TensorFlow adds 1 to the forget gate."
RESETS_AFTER = "# tf.nn's GRUCell resets before the product, and has one bias."


def step(leaf: Leaf, scoped: bool) -> Step | None:
    """What says a layer of this family; None for any other layer."""
    layer = leaf.layer
    match layer:
        case R.Embedding():
            shape = f"[{number(layer.vocabulary)}, {number(layer.features)}]"
            table = call("table = tf.get_variable", f'"{leaf.name}"', shape)
            return Step("tf.nn.embedding_lookup(table, {x})", before=(table,))
        case R.LastStep():
            return Step("{x}[:, -1]")
        case R.FirstLast():
            return Step("tf.concat([{x}[:, 0], {x}[:, -1]], 1)")
        case R.GRU(reset_after=True):
            return _of_keras(leaf, layer)
        case R.Recurrent():
            return _of_cells(leaf, layer, f'"{leaf.name}"' if scoped else None)
    return None


def _of_cells(leaf: Leaf, layer: R.Recurrent, scope: str | None) -> Step:
    if layer.biases == 2:
        raise Unsupported(messages.one_bias(leaf.path, f"TensorFlow 1's {layer.kind}"))
    made = CELLS[layer.kind].format(units=number(layer.units))
    note = NO_FORGETTING if isinstance(layer, R.LSTM) else ""
    run = "dynamic_rnn" if not layer.bidirectional else "bidirectional_dynamic_rnn"
    cells = "*cells" if layer.bidirectional else "cell"
    ran = call(f"tf.nn.{run}", cells, "{x}", dtype="tf.float32", scope=scope)
    hidden = ".h" if isinstance(layer, R.LSTM) else ""  # beside it an LSTM's state has the cell's
    if not layer.bidirectional:
        before = f"cell = {made}"
        if layer.sequence:
            return Step("{to}", note=note, before=(before, f"{{to}}, _ = {ran}"))
        if hidden:
            return Step("state.h", note=note, before=(before, f"_, state = {ran}"))
        return Step("{to}", note=note, before=(before, f"_, {{to}} = {ran}"))
    before = f"cells = [{made} for _ in range(2)]"
    if layer.sequence:
        return Step("tf.concat(both, 2)", note=note, before=(before, f"both, _ = {ran}"))
    ends = "[state.h for state in states]" if hidden else "states"
    return Step(f"tf.concat({ends}, 1)", note=note, before=(before, f"_, states = {ran}"))


def _of_keras(leaf: Leaf, layer: R.GRU) -> Step:
    """The only one that resets after the product; it is in tf.keras."""
    if layer.biases == 1:
        raise Unsupported(messages.two_biases_in_one(leaf.path, "TensorFlow 1"))
    made = call(
        "tf.keras.layers.GRU",
        number(layer.units),
        recurrent_activation='"sigmoid"',
        return_sequences=unless(False, layer.sequence, "True"),
        reset_after="True",
    )
    if layer.bidirectional:
        made = call("tf.keras.layers.Bidirectional", made)
    return Step("gru({x})", note=RESETS_AFTER, before=(f"gru = {made}",))
