"""TensorFlow 1's side of the worker: variables in the order the graph made them.

Layouts are Keras's, but a cell's input and state share one kernel, (D + H) x gates.
"""

import numpy as np
import tensorflow as tf

from stone_worker.keras_layers import canonical, native, outputs, to_native  # noqa: F401

CELLS = ("SimpleRNN", "LSTM", "GRU")
COUNTERS = ("beta1_power", "beta2_power", "global_step")
BACKWARD = "backward_"


def configure(threads):
    """Nothing to do: sessions read their thread counts from the environment (framework.toml)."""


def double():
    tf.keras.backend.set_floatx("float64")
    tf.float32 = tf.float64  # as programs name it
    if not hasattr(tf.get_variable, "doubled"):
        tf.get_variable = _variable_of_float64(tf.get_variable)
        for name in dir(tf.train):
            optimizer = getattr(tf.train, name)
            if name.endswith("Optimizer") and "__init__" in vars(optimizer):
                optimizer.__init__ = _unrounded(optimizer.__init__)
        tf.train.inverse_time_decay = _unrounded(tf.train.inverse_time_decay)
    return (
        'tf.keras.backend.set_floatx("float64"), tf.float32 = tf.float64, tf.get_variable makes'
        " float64, what optimisers are given is float64"
    )


def _variable_of_float64(make):
    def made(name, shape=None, dtype=np.float64, *args, **kwargs):
        return make(name, shape, dtype, *args, **kwargs)

    made.doubled = True
    return made


def _unrounded(function):
    """TensorFlow makes float32 of a Python number, of Adam's powers of its betas too."""
    function.__defaults__ = tuple(map(_wide, function.__defaults__ or ()))

    def called(*args, **kwargs):
        return function(*map(_wide, args), **{name: _wide(kwargs[name]) for name in kwargs})

    return called


def _wide(value):
    return np.float64(value) if type(value) is float else value


def version():
    return tf.__version__


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    held = net.session.run(_variables(net))
    arrays = {}
    for layer in layers:
        for weights in _directions(layer):
            native_shapes = [piece.shape for piece in _pieces(layer, weights, _zeros(weights))]
            pieces, held = held[: len(native_shapes)], held[len(native_shapes) :]
            _check(layer, [piece.shape for piece in pieces], native_shapes)
            arrays.update(_joined(layer, weights, pieces))
    if held:
        raise ValueError("%d arrays of weights too many" % len(held))
    return arrays


def write(net, layers, arrays):
    variables = _variables(net)
    for layer in layers:
        for weights in _directions(layer):
            pieces = _pieces(layer, weights, arrays)
            places, variables = variables[: len(pieces)], variables[len(pieces) :]
            shapes = [tuple(place.shape.as_list()) for place in places]
            _check(layer, shapes, [piece.shape for piece in pieces])
            for place, piece in zip(places, pieces):
                place.load(piece, net.session)
    if variables:
        raise ValueError("%d arrays of weights too many" % len(variables))


def plain_sgd(learner, rate):
    net, y, loss, _ = learner
    statistics = net.session.graph.get_collection(tf.GraphKeys.UPDATE_OPS)
    with net.session.graph.as_default(), tf.control_dependencies(statistics):
        step = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    return net, y, loss, step


def wait(_):
    """Nothing to wait for: Session.run returns values."""


def _variables(net):
    """The network's, without what optimisers added: counters, and state named after a variable."""
    with net.session.graph.as_default():
        variables = tf.global_variables()
    names = {variable.op.name for variable in variables}
    return [
        variable
        for variable in variables
        if variable.op.name not in COUNTERS and variable.op.name.rpartition("/")[0] not in names
    ]


def _directions(layer):
    """A layer's weights by role, one dictionary for each direction it runs in."""
    ahead, back = {}, {}
    for weight in layer["weights"]:
        if weight["role"].startswith(BACKWARD):
            back[weight["role"][len(BACKWARD) :]] = weight
        else:
            ahead[weight["role"]] = weight
    return [ahead, back] if back else [ahead]


def _pieces(layer, weights, arrays):
    """The arrays as TensorFlow holds them, in the order it made its variables."""
    given = {role: arrays[weight["name"]] for role, weight in weights.items()}
    if layer["kind"] not in CELLS:
        return [native(given[role], layer, weights[role]) for role in weights]
    if "input_bias" in given:  # tf.keras's GRU
        sides = [native(given[role], layer, weights[role]) for role in weights]
        return [sides[0], sides[1], np.stack(sides[2:])]
    kernel = np.concatenate([given["input"], given["recurrent"]], axis=1)
    if layer["kind"] == "GRU":
        units = given["recurrent"].shape[1]
        gates, candidate = np.split(kernel, [2 * units]), np.split(given["bias"], [2 * units])
        return [gates[0].T, candidate[0], gates[1].T, candidate[1]]
    return [_reordered(layer, kernel).T, _reordered(layer, given["bias"])]


def _joined(layer, weights, pieces):
    """The pieces as the model has them, by name."""
    if layer["kind"] not in CELLS:
        found = {
            role: canonical(piece, layer, weights[role]) for role, piece in zip(weights, pieces)
        }
    elif "input_bias" in weights:
        sides = [pieces[0], pieces[1], *pieces[2]]
        found = {role: canonical(side, layer, weights[role]) for role, side in zip(weights, sides)}
    else:
        if layer["kind"] == "GRU":
            kernel, bias = np.concatenate([pieces[0].T, pieces[2].T]), np.concatenate(pieces[1::2])
        else:
            kernel, bias = _reordered(layer, pieces[0].T), _reordered(layer, pieces[1])
        features = weights["input"]["shape"][1]
        found = {"input": kernel[:, :features], "recurrent": kernel[:, features:], "bias": bias}
    return {weight["name"]: np.ascontiguousarray(found[role]) for role, weight in weights.items()}


def _reordered(layer, rows):
    """An LSTM's gates i, f, g, o as TensorFlow's i, g, f, o, and back."""
    if layer["kind"] != "LSTM":
        return rows
    i, second, third, o = np.split(rows, 4)
    return np.concatenate([i, third, second, o])


def _zeros(weights):
    return {weight["name"]: np.zeros(weight["shape"]) for weight in weights.values()}


def _check(layer, found, wanted):
    if found != wanted:
        raise ValueError("%s: %s, not %s" % (layer["name"], found, wanted))
