"""MLX's side of the worker: channels last, work done when it is asked for, weights by name."""

import os
import tempfile

import mlx.core as mx
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten

from stone_worker.failure import NoDouble
from stone_worker.layout import hwc_order

PARAMETERS = {
    "weight": ["weight"],
    "bias": ["bias"],
    "gamma": ["weight"],
    "beta": ["bias"],
    "mean": ["running_mean"],
    "variance": ["running_var"],
    "table": ["weight"],
}
GATED = {"input": ["Wx"], "recurrent": ["Wh"]}
ONE_FOR_ALL = {"bias": ["bias"], "input_bias": ["bias"], "recurrent_bias": ["state_bias"]}
CELL_PARAMETERS = {
    "SimpleRNN": dict({"input": ["Wxh"], "recurrent": ["Whh"]}, **ONE_FOR_ALL),
    "LSTM": dict(GATED, **ONE_FOR_ALL),
    "GRU": dict(GATED, bias=["b"], input_bias=["b"], recurrent_bias=["state_bias", "bhn"]),
}


def configure(threads):
    """A folder for the kernels that g++ makes, which MLX would keep for every later process."""
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="mlx-", dir=os.getcwd())


def double():
    raise NoDouble(
        "MLX's exponentials and logarithms on the CPU (softmax, sigmoid, tanh and the losses made"
        " of them) are as exact in float64 as in float32: exp is off by 3e-7"
    )


def version():
    return mx.__version__


def to_native(x):
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if x.ndim == 4 else x


def outputs(values):
    array = np.array(values)
    return array.transpose(0, 3, 1, 2) if array.ndim == 4 else array


def losses(values):
    return [value.item() for value in values]


def read(net, layers):
    found = {}
    for layer, weight, module, names in _places(net, layers):
        array = np.concatenate([np.array(module[name]) for name in names])
        found[weight["name"]] = _canonical(array, layer, weight)
    return found


def write(net, layers, arrays):
    for layer, weight, module, names in _places(net, layers):
        array = _native(arrays[weight["name"]], layer, weight)
        held = [module[name] for name in names]
        if array.shape != (sum(part.shape[0] for part in held), *held[0].shape[1:]):
            shapes = [part.shape for part in held]
            raise ValueError("%s: %s, not %s" % (weight["name"], shapes, array.shape))
        ends = np.cumsum([part.shape[0] for part in held])[:-1]
        for name, part in zip(names, np.split(array, ends)):
            module[name] = mx.array(part)


def plain_sgd(learner, rate):
    """The optimiser itself becomes another: a compiled step holds on to it and to its state."""
    optimizer, sgd, state = learner[1], optim.SGD(rate), learner[1].state
    state.clear()
    state.update(sgd.state)
    optimizer.__class__ = optim.SGD
    optimizer.__dict__.update(sgd.__dict__, _state=state)
    return learner


def wait(values):
    mx.eval(values)


def _places(net, layers):
    """Each weight with the module that holds it, and the names there whose arrays make it up."""
    count = sum(array.size for _, array in tree_flatten(net.parameters()))
    wanted = sum(int(np.prod(weight["shape"])) for layer in layers for weight in layer["weights"])
    if count != wanted:
        raise ValueError("%d weights, not %d" % (count, wanted))
    for layer in layers:
        module = net
        for name in layer["name"].split("."):
            module = getattr(module, name)
        for weight in layer["weights"]:
            place, names = _place(module, layer["kind"], weight["role"])
            if not all(name in place for name in names):
                raise ValueError("%s: nothing, not %s" % (weight["name"], weight["shape"]))
            yield layer, weight, place, names


def _place(module, kind, role):
    if kind not in CELL_PARAMETERS:
        return module, PARAMETERS[role]
    backward = role.startswith("backward_")
    role = role[len("backward_") :] if backward else role
    if "ahead" in module:
        module = module.back if backward else module.ahead
    return module, CELL_PARAMETERS[kind][role]


def _native(array, layer, weight):
    """Kernels out x height x width x in; what reads a flattened map, in that map's order."""
    if array.ndim == 4:
        return array.transpose(0, 2, 3, 1)
    if layer["flattened"] and weight["role"] != "bias":
        return array[..., hwc_order(layer["flattened"])]
    return array


def _canonical(array, layer, weight):
    if array.ndim == 4:
        return array.transpose(0, 3, 1, 2)
    if layer["flattened"] and weight["role"] != "bias":
        ordered = np.empty_like(array)
        ordered[..., hwc_order(layer["flattened"])] = array
        return ordered
    return array
