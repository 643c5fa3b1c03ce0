"""Caffe2's side of the worker: weights are blobs of the workspace, known by name."""

from importlib import metadata

import numpy as np
from caffe2.python import core, optimizer, workspace

from stone_worker.failure import NoDouble

ENDINGS = {
    "weight": "_w",
    "bias": "_b",
    "gamma": "_s",
    "beta": "_b",
    "mean": "_rm",
    "variance": "_riv",
    "table": "_w",
}
# Blobs whose rows stand one above the other in the canonical array.
STATE = {
    "SimpleRNN": ("gates_t",),
    "LSTM": ("gates_t",),
    "GRU": ("reset_gate_t", "update_gate_t", "output_gate_t"),
}
CELLS = {
    "input": ("i2h", "_w"),
    "bias": ("i2h", "_b"),
    "input_bias": ("i2h", "_b"),
    "recurrent": ("state", "_w"),
    "recurrent_bias": ("state", "_b"),
}


def configure(threads):
    """Nothing to do: it reads its thread counts from the environment (framework.toml)."""


def double():
    raise NoDouble(
        "Caffe2's operators (Conv, FC, SpatialBN, Relu, SoftmaxWithLoss, Adam and others) take"
        " float32 alone on the CPU"
    )


def version():
    """PyTorch's, whose wheel Caffe2 is in: it has had no other since 2018."""
    return metadata.version("torch").partition("+")[0]


def to_native(x):
    return x


def outputs(values):
    return values


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: _canonical(np.concatenate([workspace.FetchBlob(b) for b in blobs]), layer)
        for layer, weight, blobs in _blobs(layers)
    }


def write(net, layers, arrays):
    for layer, weight, blobs in _blobs(layers):
        array = _native(arrays[weight["name"]], layer)
        for blob, part in zip(blobs, np.split(array, len(blobs))):
            workspace.FeedBlob(blob, np.ascontiguousarray(part))
        if weight["role"] in ("bias", "backward_bias") and layer["kind"] in STATE:
            for blob in _cell_blobs(layer, weight["role"].replace("bias", "recurrent_bias")):
                workspace.FeedBlob(blob, np.zeros_like(workspace.FetchBlob(blob)))


def plain_sgd(learner, rate):
    """Its own optimiser's operators, the last of the net, replaced."""
    operators = learner.net.Proto().op
    del operators[[operator.type for operator in operators].index("AtomicIter") :]
    learner.param_init_net = core.Net("sgd_init")
    optimizer.build_sgd(learner, base_learning_rate=rate)
    workspace.RunNetOnce(learner.param_init_net)
    workspace.CreateNet(learner.net, overwrite=True)
    return learner


def wait(_):
    """Nothing to wait for: a net has been run when RunNet returns."""


def _blobs(layers):
    """Each layer with each of its weights and the blobs that hold it, found to be of its size."""
    for layer in layers:
        for weight in layer["weights"]:
            if layer["kind"] in STATE:
                blobs = _cell_blobs(layer, weight["role"])
            else:
                blobs = [_scoped(layer) + ENDINGS[weight["role"]]]
            rows = 0
            for blob in blobs:
                found = workspace.FetchBlob(blob).shape if workspace.HasBlob(blob) else None
                if found is None or list(found[1:]) != weight["shape"][1:]:
                    raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
                rows += found[0]
            if rows != weight["shape"][0]:
                raise ValueError("%s: %d rows, not %s" % (weight["name"], rows, weight["shape"]))
            yield layer, weight, blobs


def _scoped(layer):
    return layer["name"].replace(".", "/")


def _cell_blobs(layer, role):
    back = role.startswith("backward_")
    name = _scoped(layer) + ("_back" if back else "")
    side, ending = CELLS[role[len("backward_") :] if back else role]
    parts = STATE[layer["kind"]] if side == "state" else (side,)
    return ["%s/%s%s" % (name, part, ending) for part in parts]


def _native(array, layer):
    """An LSTM's gates from i, f, g, o to Caffe2's i, f, o, g."""
    return _swapped(array) if layer["kind"] == "LSTM" else array


def _canonical(array, layer):
    return _swapped(array) if layer["kind"] == "LSTM" else array


def _swapped(array):
    first, second, third, fourth = np.split(array, 4)
    return np.concatenate([first, second, fourth, third])
