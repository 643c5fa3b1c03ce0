"""JAX's side of the worker: channels last, and weights found by name.

A jitted step gives a module its attributes back in alphabetical order, so the order of creation
cannot be read from it; but they are called as the model's layers are.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from stone_worker.layout import hwc_order

PARAMETERS = {
    ("Conv2D", "weight"): "kernel",
    ("Dense", "weight"): "kernel",
    ("Conv2D", "bias"): "bias",
    ("Dense", "bias"): "bias",
    ("TimeDistributed", "weight"): "kernel",
    ("TimeDistributed", "bias"): "bias",
    ("BatchNorm", "gamma"): "scale",
    ("BatchNorm", "beta"): "bias",
    ("BatchNorm", "mean"): "mean",
    ("BatchNorm", "variance"): "var",
    ("Embedding", "table"): "embedding",
}
CELL_PARAMETERS = {
    "input": ("dense_i", "kernel"),
    "recurrent": ("dense_h", "kernel"),
    "input_bias": ("dense_i", "bias"),
    "recurrent_bias": ("dense_h", "bias"),
}
ONLY_BIAS = {"SimpleRNN": "dense_i", "GRU": "dense_i", "LSTM": "dense_h"}


def configure(threads):
    """Nothing to set: JAX takes as many threads as the process has processors."""


def double():
    jax.config.update("jax_enable_x64", True)
    return 'jax.config.update("jax_enable_x64", True), and modules of float64'


def doubled(net):
    """Modules are of float32 unless each is told otherwise."""
    for _, module in nnx.iter_modules(net):
        for name in ("dtype", "param_dtype"):
            if getattr(module, name, None) == jnp.float32:
                setattr(module, name, jnp.float64)
    weights = nnx.state(net, (nnx.Param, nnx.BatchStat))
    nnx.update(net, jax.tree.map(lambda array: array.astype(jnp.float64), weights))
    return net


def version():
    return jax.__version__


def to_native(x):
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if x.ndim == 4 else x


def outputs(values):
    array = np.asarray(values)
    return array.transpose(0, 3, 1, 2) if array.ndim == 4 else array


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: _canonical(np.array(variable[...]), layer, weight)
        for layer, weight, variable in _variables(net, layers)
    }


def write(net, layers, arrays):
    for layer, weight, variable in _variables(net, layers):
        array = _native(arrays[weight["name"]], layer, weight)
        if array.shape != variable.shape:
            raise ValueError("%s: %s, not %s" % (weight["name"], variable.shape, array.shape))
        variable[...] = jnp.array(array, dtype=variable.dtype)


def plain_sgd(learner, rate):
    return learner[0], nnx.Optimizer(learner[0], optax.sgd(rate), wrt=nnx.Param)


def wait(learner_or_net):
    jax.block_until_ready(learner_or_net)


def _variables(net, layers):
    """Each layer with each of its weights and the variable that holds it."""
    count = len(nnx.to_flat_state(nnx.state(net, (nnx.Param, nnx.BatchStat))))
    wanted = sum(len(layer["weights"]) for layer in layers)
    if count != wanted:
        raise ValueError("%d arrays of weights, not %d" % (count, wanted))
    for layer in layers:
        module = net
        for name in layer["name"].split("."):
            module = getattr(module, name)
        for weight in layer["weights"]:
            variable = _variable(module, layer["kind"], weight["role"])
            if variable is None:
                raise ValueError("%s: nothing, not %s" % (weight["name"], weight["shape"]))
            yield layer, weight, variable


def _variable(module, kind, role):
    if kind not in ONLY_BIAS:
        return getattr(module, PARAMETERS[kind, role])
    backward = role.startswith("backward_")
    role = role[len("backward_") :] if backward else role
    if isinstance(module, nnx.Bidirectional):
        module = module.backward_rnn if backward else module.forward_rnn
    side, name = (ONLY_BIAS[kind], "bias") if role == "bias" else CELL_PARAMETERS[role]
    return getattr(getattr(module.cell, side), name)


def _native(array, layer, weight):
    """From out x in x height x width and out x in to JAX's height x width x in x out, in x out."""
    if weight["role"] == "table":
        return array
    if array.ndim == 4:
        return array.transpose(2, 3, 1, 0)
    if layer["flattened"] and weight["role"] != "bias":
        array = array[..., hwc_order(layer["flattened"])]
    return array.T


def _canonical(array, layer, weight):
    if weight["role"] == "table":
        return array
    if array.ndim == 4:
        return array.transpose(3, 2, 0, 1)
    array = array.T
    if layer["flattened"] and weight["role"] != "bias":
        ordered = np.empty_like(array)
        ordered[..., hwc_order(layer["flattened"])] = array
        return ordered
    return array
