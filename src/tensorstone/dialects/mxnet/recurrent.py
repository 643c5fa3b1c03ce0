"""MXNet's recurrent layers: Gluon's fused layers, and the operator RNN on a symbol."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import Unpacked, call, number
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf

GLUON = {"SimpleRNN": "gluon.rnn.RNN", "LSTM": "gluon.rnn.LSTM", "GRU": "gluon.rnn.GRU"}
MODES = {"SimpleRNN": "rnn_tanh", "LSTM": "lstm", "GRU": "gru"}

BACKWARDS = "# Read backwards, the last step is the first."


def block(leaf: Leaf, layer: R.Recurrent) -> str:
    """Gluon's layer; with one bias, in the function that keeps the other at zero."""
    _check(leaf)
    made = call(
        GLUON[layer.kind],
        number(layer.units),
        activation='"tanh"' if isinstance(layer, R.SimpleRNN) else None,
        layout='"NTC"',
        bidirectional="True" if layer.bidirectional else None,
    )
    return f"one_bias({made})" if layer.biases == 1 else made


def function_name(layer: R.Recurrent) -> str:
    """What a program of symbols calls the function for layers of this kind."""
    first = "bidirectional_" if layer.bidirectional else ""
    last = "_two_biases" if layer.biases == 2 else ""
    return f"{first}{layer.stem}{last}"


def applied(leaf: Leaf, layer: R.Recurrent, function: str, x: str, name: str) -> str:
    """That function called: a symbol does not know how many features it has."""
    _check(leaf)
    return call(function, x, number(leaf.inputs[-1]), number(layer.units), name=name)


def function_body(layer: R.Recurrent, version: str) -> list[str]:
    """The function's statements, its weights named as Gluon's layers name theirs."""
    # In 1.3 concat asks its inputs for their type and does not tell them.
    typed = ', dtype="float32"' if version.startswith("1.3.") else ""

    def var(name: str, shape: str) -> str:
        return f'mx.sym.var(f"{{name}}_{name}", shape=({shape}){typed})'

    rows = "units" if layer.gates == 1 else f"{layer.gates} * units"
    sides = ("l0", "r0")[: len(layer.directions)]
    weights = [
        var(f"{side}_{role}_weight", f"{rows}, {columns}") + ".reshape(-1)"
        for side in sides
        for role, columns in (("i2h", "features"), ("h2h", "units"))
    ]
    biases = []
    for side in sides:
        biases.append(var(f"{side}_i2h_bias", f"{rows},"))
        second = var(f"{side}_h2h_bias", f"{rows},")
        biases.append(second if layer.biases == 2 else f"mx.sym.zeros({rows})")
    states = ["state"] * (2 if isinstance(layer, R.LSTM) else 1)
    run = call(
        "mx.sym.RNN",
        "mx.sym.swapaxes(x, 0, 1)",
        "parameters",
        *states,
        mode=f'"{MODES[layer.kind]}"',
        state_size="units",
        num_layers="1",
        bidirectional="True" if layer.bidirectional else None,
    )
    remarks = ["# RNN takes its weights and biases as one vector."]
    if layer.biases == 1:
        remarks.append("# It adds two biases to every gate; the second is zero here.")
    return [
        *remarks,
        call("parameters = mx.sym.concat", *weights, *biases, dim="0"),
        "# 0 is the batch, of whatever size.",
        f"state = mx.sym.zeros(({len(sides)}, 0, units))",
        "# RNN wants time before the batch.",
        f"x = {run}",
        "return mx.sym.swapaxes(x, 0, 1)",
    ]


def last_step(space: str, x: str) -> str:
    """The last step of the sequence called `x`.

    Not SequenceLast: with axis=1 its backward pass writes to the wrong samples.
    """
    if space == "mx.nd":
        return f"{x}[:, -1]"
    return f"{space}.flatten({space}.slice_axis({x}, axis=1, begin=-1, end=None))"


def first_last(space: str, x: str) -> str:
    """The first and the last step of the sequence called `x`."""
    if space == "mx.nd":
        return f"mx.nd.concat({x}[:, 0], {x}[:, -1])"
    first = f"{space}.slice_axis({x}, axis=1, begin=0, end=1)"
    last = f"{space}.slice_axis({x}, axis=1, begin=-1, end=None)"
    return f"{space}.flatten({space}.concat({first}, {last}))"


def last_output(space: str, layer: R.Recurrent, run: str, units: str, variable: str) -> Unpacked:
    """A layer gives the output of every step: `run` gives it a line, and the last is taken."""
    lines = [f"{variable} = {run}"]
    if not layer.bidirectional:
        return lines, last_step(space, variable)
    lines.append(BACKWARDS)
    if space == "mx.nd":
        return lines, f"mx.nd.concat({variable}[:, -1, :{units}], {variable}[:, 0, {units}:])"
    ahead = f"{space}.slice({variable}, begin=(None, -1, None), end=(None, None, {units}))"
    back = f"{space}.slice({variable}, begin=(None, 0, {units}), end=(None, 1, None))"
    return lines, f"{space}.flatten({space}.concat({ahead}, {back}))"


def _check(leaf: Leaf) -> None:
    if isinstance(leaf.layer, R.GRU) and not leaf.layer.reset_after:
        raise Unsupported(messages.resets_after(leaf.name, "MXNet's GRU"))
