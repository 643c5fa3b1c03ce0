"""Weights of Keras's layers in canonical layout, for the bridges of rooms that speak Keras.

Channels last, kernels HWIO, dense in x out, GRUs z, r, n. Layers are known by the names of their
classes: nothing of Keras is imported here.
"""

import numpy as np

from stone_worker.layout import hwc_order

CLASSES = {
    "Conv2D": "Conv2D",
    "Dense": "Dense",
    "TimeDistributed": "Dense",
    "BatchNorm": "BatchNormalization",
    "Embedding": "Embedding",
    "SimpleRNN": "SimpleRNN",
    "LSTM": "LSTM",
    "GRU": "GRU",
}
VARIABLES = {
    "weight": "kernel",
    "bias": "bias",
    "gamma": "gamma",
    "beta": "beta",
    "mean": "moving_mean",
    "variance": "moving_variance",
    "table": "embeddings",
    "input": "kernel",
    "recurrent": "recurrent_kernel",
    "input_bias": "bias",
    "recurrent_bias": "bias",
}
ROWS = {"input_bias": 0, "recurrent_bias": 1}  # of the variable that holds both
BACKWARD = "backward_"


def to_native(x):
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if x.ndim == 4 else x


def outputs(values):
    array = np.asarray(values)
    return array.transpose(0, 3, 1, 2) if array.ndim == 4 else array


def read(net, layers):
    return {
        weight["name"]: canonical(held.read(), layer, weight)
        for layer, weight, held in _held(net, layers)
    }


def write(net, layers, arrays):
    for layer, weight, held in _held(net, layers):
        held.write(native(arrays[weight["name"]], layer, weight))


class Held(object):
    """A weight in its place: a variable, or one row of it."""

    def __init__(self, variable, row):
        self._variable, self._row = variable, row

    @property
    def shape(self):
        return self._variable.shape if self._row is None else self._variable.shape[1:]

    def read(self):
        array = self._variable.numpy()
        return array if self._row is None else array[self._row]

    def write(self, array):
        if self._row is not None:
            rows = self._variable.numpy()
            rows[self._row] = array
            array = rows
        self._variable.assign(array)


def _held(net, layers):
    """Triples of layer, weight and its place: the network's layers in definition order."""
    made = _made(net)
    found = sum(len(alike) for alike in made.values())
    if found != len(layers):
        raise ValueError("%d layers with weights, not %d" % (found, len(layers)))
    for layer in layers:
        alike = made.get((CLASSES[layer["kind"]], _both_ways(layer)))
        if not alike:
            raise ValueError("%s: the network has no more %s" % (layer["name"], layer["kind"]))
        keras_layer = alike.pop(0)
        for weight in layer["weights"]:
            held = _place(keras_layer, weight["role"])
            shape = None if held is None else _canonical_shape(held.shape, weight)
            if shape != list(weight["shape"]):
                found = "nothing" if shape is None else shape
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield layer, weight, held


def _made(net):
    """The layers with weights, by class and whether they run both ways, in the order made.

    `net.layers` is sorted by depth, which mixes the branches of a graph. The layers' own names
    are numbered in the order they were made: conv2d, conv2d_1, conv2d_2, ...
    """

    def position(layer):
        number = layer.name.rpartition("_")[2]
        return int(number) if number.isdigit() else 0

    made = {}
    for layer in sorted(net.layers, key=position):
        both_ways = hasattr(layer, "backward_layer")
        one_way = layer.forward_layer if both_ways else layer
        kind = type(one_way).__name__
        if kind in CLASSES.values():
            made.setdefault((kind, both_ways), []).append(layer)
    return made


def _both_ways(layer):
    return any(weight["role"].startswith(BACKWARD) for weight in layer["weights"])


def _place(layer, role):
    """Where a layer holds the weight of this role; None if it has no such weight."""
    backward = role.startswith(BACKWARD)
    if hasattr(layer, "backward_layer"):
        layer = layer.backward_layer if backward else layer.forward_layer
    layer = getattr(layer, "cell", layer)
    one_way = role[len(BACKWARD) :] if backward else role
    variable = getattr(layer, VARIABLES[one_way])
    return None if variable is None else Held(variable, ROWS.get(one_way))


def _canonical_shape(shape, weight):
    if weight["role"] == "table":
        return list(shape)
    if len(shape) == 4:
        height, width, inputs, outputs_ = shape
        return [outputs_, inputs, height, width]
    return list(reversed(shape))


def canonical(array, layer, weight):
    """A layer's array as the model has it."""
    if weight["role"] == "table":
        return array
    if array.ndim == 4:
        return np.ascontiguousarray(array.transpose(3, 2, 0, 1))
    if layer["kind"] == "GRU":
        return _first_gates_swapped(array.T)
    if not _permuted(layer, weight):
        return np.ascontiguousarray(array.T)
    ordered = np.empty_like(array.T)
    ordered[..., hwc_order(layer["flattened"])] = array.T
    return ordered


def native(array, layer, weight):
    """The model's array as a layer of Keras has it."""
    if weight["role"] == "table":
        return array
    if array.ndim == 4:
        return array.transpose(2, 3, 1, 0)
    if layer["kind"] == "GRU":
        return _first_gates_swapped(array).T
    if _permuted(layer, weight):
        array = array[..., hwc_order(layer["flattened"])]
    return array.T


def _first_gates_swapped(array):
    """A GRU's r, z, n as Keras's z, r, n, and back."""
    first, second, third = np.split(array, 3)
    return np.concatenate([second, first, third])


def _permuted(layer, weight):
    """Whether the weight has an axis that follows a flattened map."""
    return bool(layer["flattened"]) and not (layer["kind"] == "Dense" and weight["role"] == "bias")
