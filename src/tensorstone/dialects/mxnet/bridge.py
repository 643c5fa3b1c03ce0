"""MXNet's side of the worker: its layouts are the canonical ones, its work is asynchronous."""

import mxnet as mx
from mxnet import gluon

SUFFIXES = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "gamma",
    "beta": "beta",
    "mean": "_mean",
    "variance": "_var",
}
STATISTICS = ("mean", "variance")


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
    return {weight["name"]: held[name].asnumpy() for weight, name in pairs}


def write(net, layers, arrays):
    pairs = _pairs(net, layers)
    given = {name: mx.nd.array(arrays[weight["name"]]) for weight, name in pairs}
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
    for weight, name in pairs:
        try:
            parameters[name].data()
        except gluon.parameter.DeferredInitializationError:
            parameters[name].shape = tuple(weight["shape"])
            parameters[name].initialize(force_reinit=True)
    return parameters


def _pairs(net, layers):
    """Each weight of the model with MXNet's name for it, both in definition order.

    A symbol lists what is trained apart from running statistics, so both are matched apart.
    """
    weights = [weight for layer in layers for weight in layer["weights"]]
    found = _shapes(net)
    pairs = []
    for statistics in (False, True):
        wanted = [w for w in weights if (w["role"] in STATISTICS) == statistics]
        names = [n for n in found if _is_statistic(n) == statistics]
        if len(names) != len(wanted):
            raise ValueError("%d arrays, not %d: %s" % (len(names), len(wanted), names))
        pairs += zip(wanted, names)
    for weight, name in pairs:
        if not name.endswith(SUFFIXES[weight["role"]]) or not _fits(found[name], weight["shape"]):
            raise ValueError(
                "%s: %s %s, not %s" % (weight["name"], name, found[name], weight["shape"])
            )
    return pairs


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


def _is_statistic(name):
    return name.endswith((SUFFIXES["mean"], SUFFIXES["variance"]))


def _fits(found, shape):
    if found is None:
        return True
    return len(found) == len(shape) and all(n in (0, -1, m) for n, m in zip(found, shape))
