"""MXNet's side of the worker: its layouts are the canonical ones, its work is asynchronous."""

import re
from collections import OrderedDict

import mxnet as mx
from mxnet import gluon

# How the name of a role's array ends, after its layer's; Gluon and Symbol differ in one word.
ENDINGS = {
    "weight": ("weight",),
    "bias": ("bias",),
    "gamma": ("gamma",),
    "beta": ("beta",),
    "mean": ("running_mean", "moving_mean"),
    "variance": ("running_var", "moving_var"),
    "table": ("weight",),
}
# Gluon's recurrent layers have two biases: where the model's has one, it is both together.
CELL_ENDINGS = {
    "input": ("i2h_weight",),
    "recurrent": ("h2h_weight",),
    "bias": ("i2h_bias", "h2h_bias"),
    "input_bias": ("i2h_bias",),
    "recurrent_bias": ("h2h_bias",),
}
CELLS = ("SimpleRNN", "LSTM", "GRU")
NAME = re.compile(
    "(?P<layer>.*?)_"
    "(?P<ending>([lr]0_[ih]2h_)?(weight|bias)|gamma|beta|(running|moving)_(mean|var))"
)


def configure(threads):
    """Nothing to do: MXNet reads its thread counts from the environment (framework.toml)."""


def version():
    return mx.__version__


def to_native(x):
    return x


def outputs(values):
    return values.asnumpy()


def losses(values):
    return [float(value.asscalar()) for value in values]


def read(net, layers):
    pairs = _pairs(net, layers)
    if isinstance(net, mx.mod.Module):
        trained, statistics = net.get_params()
        held = dict(trained, **statistics)
    else:
        held = {name: parameter.data() for name, parameter in _settled(net, pairs).items()}
    return {w["name"]: sum(held[name].asnumpy() for name in names) for w, names in pairs}


def write(net, layers, arrays):
    pairs = _pairs(net, layers)
    given = {}
    for weight, names in pairs:
        array = mx.nd.array(arrays[weight["name"]])
        given.update({name: mx.nd.zeros_like(array) for name in names})
        given[names[0]] = array
    if isinstance(net, mx.mod.Module):
        statistics = net.symbol.list_auxiliary_states()
        net.set_params(
            {name: array for name, array in given.items() if name not in statistics},
            {name: array for name, array in given.items() if name in statistics},
        )
    else:
        for name, parameter in _settled(net, pairs).items():
            parameter.set_data(given[name])


def plain_sgd(learner, rate):
    if isinstance(learner, mx.mod.Module):
        settings = {"learning_rate": rate, "rescale_grad": 1}
        learner.init_optimizer("local", "sgd", settings, force_init=True)
        return learner
    net, loss_fn = learner[:2]
    return net, loss_fn, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})


def wait(_):
    mx.nd.waitall()


def _settled(net, pairs):
    """Gluon's parameters, those made that would wait for the first batch to know their shape.

    If that shape were wrong, the first batch would say so.
    """
    parameters = net.collect_params()
    for weight, names in pairs:
        for name in names:
            try:
                parameters[name].data()
            except gluon.parameter.DeferredInitializationError:
                parameters[name].shape = tuple(weight["shape"])
                parameters[name].initialize(force_reinit=True)
    return parameters


def _pairs(net, layers):
    """Each weight of the model with MXNet's names for what adds up to it, in definition order."""
    found = _shapes(net)
    owners = OrderedDict()
    for name in found:
        parts = NAME.fullmatch(name)
        if parts is None:
            raise ValueError("%s is no weight of a layer" % name)
        owners.setdefault(parts.group("layer"), {})[parts.group("ending")] = name
    if len(owners) != len(layers):
        raise ValueError("%d layers with weights, not %d" % (len(owners), len(layers)))
    pairs = []
    for layer, owned in zip(layers, owners.values()):
        for weight in layer["weights"]:
            names = [owned.pop(e) for e in _endings(layer, weight["role"]) if e in owned]
            shapes = [found[name] for name in names]
            if not names or not all(_fits(shape, weight["shape"]) for shape in shapes):
                raise ValueError("%s: %s, not %s" % (weight["name"], shapes, weight["shape"]))
            pairs.append((weight, names))
        if owned:
            raise ValueError("%s: %s too many" % (layer["name"], sorted(owned.values())))
    return pairs


def _endings(layer, role):
    if layer["kind"] not in CELLS:
        return ENDINGS[role]
    backward = role.startswith("backward_")
    role = role[len("backward_") :] if backward else role
    return [("r0_" if backward else "l0_") + ending for ending in CELL_ENDINGS[role]]


def _shapes(net):
    """MXNet's names and shapes; a shape may be None, or hold zeros where it is not yet known."""
    if not isinstance(net, mx.mod.Module):
        return {name: parameter.shape for name, parameter in net.collect_params().items()}
    inputs = net.data_names + net.label_names
    symbol = net.symbol
    arguments, _, statistics = symbol.infer_shape(**{d.name: d.shape for d in net.data_shapes})
    shapes = dict(zip(symbol.list_arguments(), arguments))
    shapes.update(zip(symbol.list_auxiliary_states(), statistics))
    return {name: shape for name, shape in shapes.items() if name not in inputs}


def _fits(found, shape):
    if found is None:
        return True
    return len(found) == len(shape) and all(n in (0, -1, m) for n, m in zip(found, shape))
