"""TensorFlow's side of the worker: channels last, kernels HWIO, dense in x out."""

import keras
import numpy as np
import tensorflow as tf

from stone_worker.layout import hwc_order

CLASSES = {
    "Conv2D": keras.layers.Conv2D,
    "Dense": keras.layers.Dense,
    "BatchNorm": keras.layers.BatchNormalization,
}
VARIABLES = {
    "weight": "kernel",
    "bias": "bias",
    "gamma": "gamma",
    "beta": "beta",
    "mean": "moving_mean",
    "variance": "moving_variance",
}


def configure(threads):
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)


def version():
    return tf.__version__


def to_native(x):
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if x.ndim == 4 else x


def outputs(values):
    array = np.asarray(values)
    return array.transpose(0, 3, 1, 2) if array.ndim == 4 else array


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: _canonical(variable.numpy(), layer, weight)
        for layer, weight, variable in _variables(net, layers)
    }


def write(net, layers, arrays):
    for layer, weight, variable in _variables(net, layers):
        variable.assign(_native(arrays[weight["name"]], layer, weight))


def plain_sgd(learner, rate):
    optimizer = keras.optimizers.SGD(learning_rate=float(rate))
    if isinstance(learner, keras.Model):
        learner.compile(optimizer, loss=learner.loss)
        return learner
    # A hand-written step holds its optimiser in its closure, and reads it when it is traced.
    traced = getattr(learner, "experimental_get_tracing_count", lambda: 0)()
    if traced:
        raise ValueError("the step has been traced: its optimiser can no longer be replaced")
    function = getattr(learner, "python_function", learner)
    names = function.__code__.co_freevars
    net = function.__closure__[names.index("net")].cell_contents
    optimizer.build(net.trainable_variables)
    function.__closure__[names.index("optimizer")].cell_contents = optimizer
    return learner


def wait(_):
    """On the CPU a call returns when its work is done; this holds where a device would not."""
    tf.test.experimental.sync_devices()


def _variables(net, layers):
    """Triples of layer, weight and variable: the network's layers in definition order.

    `net.layers` is sorted by depth, which mixes the branches of a graph. The layers' own names
    are numbered in the order they were made: conv2d, conv2d_1, conv2d_2, ...
    """
    made = {kind: _made(net, CLASSES[kind]) for kind in CLASSES}
    found = sum(len(of_kind) for of_kind in made.values())
    if found != len(layers):
        raise ValueError("%d layers with weights, not %d" % (found, len(layers)))
    for layer in layers:
        if not made[layer["kind"]]:
            raise ValueError("%s: the network has no more %s" % (layer["name"], layer["kind"]))
        keras_layer = made[layer["kind"]].pop(0)
        for weight in layer["weights"]:
            variable = getattr(keras_layer, VARIABLES[weight["role"]])
            shape = None if variable is None else _canonical_shape(variable.shape)
            if shape != list(weight["shape"]):
                found = "nothing" if shape is None else shape
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield layer, weight, variable


def _made(net, kind):
    """The network's layers of one class, in the order they were made."""

    def position(layer):
        number = layer.name.rpartition("_")[2]
        return int(number) if number.isdigit() else 0

    return sorted((layer for layer in net.layers if isinstance(layer, kind)), key=position)


def _canonical_shape(shape):
    if len(shape) == 4:
        height, width, inputs, outputs_ = shape
        return [outputs_, inputs, height, width]
    return list(reversed(shape))


def _canonical(array, layer, weight):
    if array.ndim == 4:
        return np.ascontiguousarray(array.transpose(3, 2, 0, 1))
    if not _permuted(layer, weight):
        return np.ascontiguousarray(array.T)
    canonical = np.empty_like(array.T)
    canonical[..., hwc_order(layer["flattened"])] = array.T
    return canonical


def _native(array, layer, weight):
    if array.ndim == 4:
        return array.transpose(2, 3, 1, 0)
    if _permuted(layer, weight):
        array = array[..., hwc_order(layer["flattened"])]
    return array.T


def _permuted(layer, weight):
    """Whether the weight has an axis that follows a flattened map."""
    return bool(layer["flattened"]) and not (layer["kind"] == "Dense" and weight["role"] == "bias")
