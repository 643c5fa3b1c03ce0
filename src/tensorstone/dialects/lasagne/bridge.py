"""Lasagne's side of the worker: kernels flipped, dense in x out, a matrix for every gate."""

import lasagne
import numpy as np
import theano
from lasagne import layers as L

# Names of a layer's parameters by role; of a cell's gates, in canonical order.
PARAMETERS = {
    "weight": "W",
    "bias": "b",
    "gamma": "gamma",
    "beta": "beta",
    "mean": "mean",
    "variance": "var",
    "table": "W",
}
GATES = {
    "LSTM": ("ingate", "forgetgate", "cell", "outgate"),
    "GRU": ("resetgate", "updategate", "hidden_update"),
    "SimpleRNN": ("hid",),
}
CELL_PARAMETERS = {"input": "W_in_to_%s", "recurrent": "W_hid_to_%s", "bias": "b_%s"}
BACKWARD = "backward_"


def configure(threads):
    """Nothing to do: Theano and OpenBLAS read their thread counts from the environment."""


def double():
    theano.config.floatX = "float64"
    return 'theano.config.floatX = "float64"'


def version():
    return lasagne.__version__


def to_native(x):
    return x


def outputs(values):
    return values


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: _canonical([p.get_value() for p in parameters], layer, weight)
        for layer, weight, parameters in _parameters(net, layers)
    }


def write(net, layers, arrays):
    for layer, weight, parameters in _parameters(net, layers):
        for parameter, array in zip(parameters, _native(arrays[weight["name"]], layer, weight)):
            parameter.set_value(np.ascontiguousarray(array))


def plain_sgd(learner, rate):
    """The same loss compiled with other updates: a compiled function cannot change its own.

    What the loss reaches and the function moves is a weight. What it moves besides and Lasagne has
    named is a running average; an optimiser's own variables have no names.
    """
    loss = learner.maker.outputs[0].variable
    reached = set(theano.gof.graph.ancestors([loss]))
    given = [held.variable for held in learner.maker.inputs if not held.shared]
    moved = {h.variable: h.update for h in learner.maker.inputs if h.update is not None}
    weights = [v for v in moved if v in reached and v.dtype == theano.config.floatX]
    updates = lasagne.updates.sgd(loss, weights, rate)
    updates.update((v, new) for v, new in moved.items() if v.name and v not in reached)
    return theano.function(given, loss, updates=updates)


def wait(_):
    """Nothing to wait for: a compiled function has ended when its call returns."""


def _parameters(net, layers):
    """Triples of layer, weight and the variables that hold it (one for each gate of a cell)."""
    made = [layer for layer in L.get_all_layers(net) if layer.get_params()]
    for layer in layers:
        both_ways = any(w["role"].startswith(BACKWARD) for w in layer["weights"])
        owners, made = made[: 1 + both_ways], made[1 + both_ways :]
        if len(owners) <= both_ways:
            raise ValueError("%s: the network has no more layers" % layer["name"])
        for weight in layer["weights"]:
            backward = weight["role"].startswith(BACKWARD)
            role = weight["role"][len(BACKWARD) :] if backward else weight["role"]
            found = [getattr(owners[backward], name, None) for name in _names(layer["kind"], role)]
            shapes = [None if one is None else one.get_value().shape for one in found]
            if shapes != [
                array.shape for array in _native(np.zeros(weight["shape"]), layer, weight)
            ]:
                raise ValueError("%s: %s, not %s" % (weight["name"], shapes, weight["shape"]))
            yield layer, weight, found
    if made:
        raise ValueError("%d layers with weights too many" % len(made))


def _names(kind, role):
    if kind not in GATES:
        return [PARAMETERS[role]]
    if kind == "SimpleRNN" and role == "bias":
        return ["b"]
    return [CELL_PARAMETERS[role] % gate for gate in GATES[kind]]


def _native(array, layer, weight):
    """The arrays Lasagne holds for one of the model's."""
    if layer["kind"] in GATES:
        gates = np.split(array, len(GATES[layer["kind"]]))
        return [gate.T for gate in _negated(gates, layer)]
    return [_turned(array, weight)]


def _canonical(arrays, layer, weight):
    if layer["kind"] in GATES:
        return np.concatenate([gate.T for gate in _negated(arrays, layer)])
    return np.ascontiguousarray(_turned(arrays[0], weight))


def _turned(array, weight):
    """Convolutions that do convolve are flipped correlations; dense layers are in x out."""
    if array.ndim == 4:
        return array[:, :, ::-1, ::-1]
    return array if weight["role"] == "table" else array.T


def _negated(gates, layer):
    """Lasagne's GRU keeps (1 - u) of its state where the model's keeps z: u = 1 - z."""
    if layer["kind"] != "GRU":
        return gates
    reset, update, new = gates
    return [reset, -update, new]
