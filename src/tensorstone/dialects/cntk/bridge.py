"""CNTK's side of the worker: dense in x out, gates in an order of their own."""

import os
import re

# With one thread of MKL's, a convolution that predicted before its Trainer was made kills the
# process when it is trained: so there are two, on however many processors. MKL reads it once.
os.environ["MKL_NUM_THREADS"] = str(max(2, int(os.environ.get("OMP_NUM_THREADS", 2))))

import cntk as C
import numpy as np

# The variables of a layer in the order they are made.
VARIABLES = {
    "Conv2D": ("W", "b"),
    "Dense": ("W", "b"),
    "TimeDistributed": ("W", "b"),
    "Embedding": ("E",),
    "SimpleRNN": ("b", "W", "H"),
    "LSTM": ("b", "W", "H"),
    "GRU": ("b", "W", "H", "H1"),
}
ROLES = {
    "weight": ("W",),
    "bias": ("b",),
    "table": ("E",),
    "input": ("W",),
    "recurrent": ("H", "H1"),  # a GRU's new state has a matrix of its own
}
# Where CNTK has each of the canonical gates: i, g, f, o and z, r, n.
GATES = {"SimpleRNN": (0,), "LSTM": (0, 2, 1, 3), "GRU": (1, 0, 2)}
BACKWARD = "backward_"


def configure(threads):
    """Nothing to do: CNTK reads its thread count from the environment (framework.toml)."""


def double():
    C.default_options(dtype=np.float64).__enter__()
    if not hasattr(C.constant, "doubled"):
        C.constant = _constant_of_float64(C.constant)
    return "C.default_options(dtype=np.float64), C.constant makes float64"


def _constant_of_float64(make):
    def made(value=None, shape=None, dtype=np.float64, device=None, name=""):
        return make(value, shape, dtype, device, name)

    made.doubled = True
    return made


def version():
    return C.__version__


def to_native(x):
    return x


def outputs(values):
    return np.asarray(values)  # sequences come as a list


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: _canonical([v.asarray() for v in variables], layer, weight)
        for layer, weight, variables in _held(net, layers)
    }


def write(net, layers, arrays):
    for layer, weight, variables in _held(net, layers):
        native, start = _native(arrays[weight["name"]], layer, weight), 0
        for variable in variables:
            columns = variable.shape[-1] if len(variables) > 1 else native.shape[-1]
            part = native[..., start : start + columns].reshape(variable.shape)
            variable.value = np.ascontiguousarray(part)
            start += columns


def plain_sgd(learner, rate):
    trainer, x, y = learner
    net = trainer.model
    # Where there are two, the second is the loss of each sample, as CNTK's own optimisers want it.
    loss = trainer.evaluation_function or trainer.loss_function
    return C.Trainer(net, (loss, loss), C.sgd(net.parameters, rate)), x, y


def wait(_):
    """Nothing to wait for: on the CPU every call has ended when it returns."""


def _held(net, layers):
    """Each layer with each of its weights and the variables that hold it."""
    made = _made(net)
    for layer in layers:
        roles = [weight["role"] for weight in layer["weights"]]
        owned = {}
        for side in ("", BACKWARD) if BACKWARD + "input" in roles else ("",):
            names = [n for n in VARIABLES[layer["kind"]] if n != "b" or "bias" in roles]
            taken, made = made[: len(names)], made[len(names) :]
            if [variable.name for variable in taken] != names:
                raise ValueError("%s: %s, not %s" % (layer["name"], taken, names))
            owned[side] = dict(zip(names, taken))
        for weight in layer["weights"]:
            side = BACKWARD if weight["role"].startswith(BACKWARD) else ""
            names = ROLES[weight["role"][len(side) :]]
            variables = [owned[side][name] for name in names if name in owned[side]]
            found = _canonical([np.empty(v.shape) for v in variables], layer, weight).shape
            if list(found) != list(weight["shape"]):
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield layer, weight, variables
    if made:
        raise ValueError("%d variables too many: %s" % (len(made), made))


def _made(net):
    """The parameters in the order they were made: CNTK numbers what it makes."""
    return sorted(net.parameters, key=lambda one: int(re.search("[0-9]+$", one.uid).group()))


def _native(array, layer, weight):
    """As CNTK holds it, but for the shape: a dense layer's rows have that of the map it reads."""
    if layer["kind"] in GATES:
        return _reordered(array, layer).T
    return array.T if array.ndim == 2 and weight["role"] != "table" else array


def _canonical(arrays, layer, weight):
    array = np.concatenate(arrays, axis=-1)
    if layer["kind"] in GATES:
        return np.ascontiguousarray(_reordered(array.T, layer))
    if weight["role"] == "table" or (layer["kind"] == "Conv2D" and weight["role"] == "weight"):
        return array
    if weight["role"] == "weight":
        return np.ascontiguousarray(array.reshape(-1, array.shape[-1]).T)
    return array.ravel()


def _reordered(array, layer):
    """The rows with gates in CNTK's order, and back: both orders differ by swaps."""
    order = GATES[layer["kind"]]
    gates = np.split(array, len(order))
    return np.concatenate([gates[place] for place in order])
