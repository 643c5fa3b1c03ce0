"""DyNet's side of the worker: parameters in the order they were added, kernels columns first."""

import dynet as dy
import numpy as np

from stone_worker.failure import NoDouble

# Gates in DyNet's order, those together that share an array.
GATES = {"LSTM": [[0, 1, 3, 2]], "GRU": [[1], [0], [2]]}


def configure(threads):
    """Nothing to do: DyNet computes in one thread."""


def double():
    raise NoDouble("DyNet was compiled to compute in float32 alone: its values are C++ floats")


def version():
    return dy.__version__


def to_native(x):
    return x


outputs = losses = to_native


def read(net, layers):
    arrays = {}
    for parameter, weight, places, sign in _matched(net, layers):
        array = arrays.setdefault(weight["name"], np.empty(weight["shape"], np.float32))
        np.put(array, places, sign * parameter.as_array())
    return arrays


def write(net, layers, arrays):
    for parameter, weight, places, sign in _matched(net, layers):
        place = getattr(parameter, "init_from_array", None) or parameter.set_value
        place(sign * np.take(arrays[weight["name"]], places))


def plain_sgd(learner, rate):
    trainer = dy.SimpleSGDTrainer(learner[0].pc, rate)
    trainer.set_clip_threshold(-1)
    return learner[0], learner[1], trainer


def wait(_):
    """Nothing to wait for: values are read when they are made."""


def _matched(net, layers):
    """Every parameter with its weight, where its values are in that, and their sign."""
    tables, others = net.pc.lookup_parameters_list(), net.pc.parameters_list()
    for weight, places, sign in (piece for layer in layers for piece in _pieces(layer)):
        held = tables if weight["role"] == "table" else others
        if not held or held[0].shape() != places.shape:
            raise ValueError("%s: no parameter of %s" % (weight["name"], places.shape))
        yield held.pop(0), weight, places, sign
    if tables or others:
        raise ValueError("%d parameters too many" % len(tables + others))


def _pieces(layer):
    kind, groups = layer["kind"], GATES.get(layer["kind"], [[0]])
    count = sum(map(len, groups))
    weights = layer["weights"][:: -1 if kind in ("Dense", "TimeDistributed") else 1]
    for first in range(0, len(weights), 3):  # a direction: input, recurrent and bias
        for gates in groups:
            for weight in weights[first : first + 3]:
                places = np.arange(np.prod(weight["shape"])).reshape(weight["shape"])
                places = np.concatenate([np.split(places, count)[gate] for gate in gates])
                sign = -1 if kind == "GRU" and gates == [1] else 1  # z: the share of the new
                yield weight, places.T if places.ndim == 4 else places, sign
