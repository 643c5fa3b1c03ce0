"""MXNet's side of the worker: its layouts are the canonical ones, its work is asynchronous."""

import re
import sys
from collections import OrderedDict

import mxnet as mx
import numpy as np
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

# What makes float32 unless it is told otherwise, and the place of the type among its arguments.
DEFAULTS = [
    (mx.nd, "array", 2),
    (mx.nd, "zeros", 2),
    (mx.nd, "ones", 2),
    (mx.sym, "zeros", 1),
    (mx.sym, "ones", 1),
    (mx.sym, "var", 5),
    (mx.nd, "Embedding", 4),
    (mx.sym, "Embedding", 4),
    (sys.modules[mx.io.DataDesc.__module__].DataDesc, "__new__", 3),
    (sys.modules[mx.io.NDArrayIter.__init__.__globals__["_init_data"].__module__], "array", 2),
]


def configure(threads):
    """Nothing to do: MXNet reads its thread counts from the environment (framework.toml)."""


def double():
    if not hasattr(mx.optimizer.Updater, "exact"):  # for one program after another, but once
        mx.optimizer.Updater.exact = True
        for owner, name, place in DEFAULTS:
            setattr(owner, name, _of_float64(getattr(owner, name), place))
        _keep_constants()
    return (
        'net.cast("float64"), float64 for float32 where arrays and symbols are made; what the'
        " kernels of optimisers have in float32 (1 / batch, Adam's rate of a step) is put right"
    )


def doubled(net):
    if not isinstance(net, mx.mod.Module):  # whose types all follow from its data's
        net.cast("float64")
    return net


def _of_float64(make, place):
    """Whatever type it is told, and where it is told none."""

    def made(*args, **kwargs):
        if len(args) > place:
            args = (*args[:place], _widened(args[place]), *args[place + 1 :])
        else:
            kwargs["dtype"] = _widened(kwargs.get("dtype"))
        return make(*args, **kwargs)

    return made


def _widened(dtype):
    return "float64" if dtype in (None, "float32", np.float32) else dtype


def _keep_constants():
    """Kernels of optimisers take their constants as float32. What is the same in every step is the
    proof's to allow for; the rest is put right here."""
    optimizers = sys.modules[mx.optimizer.Adam.__module__]
    mx.nd.adam_update = optimizers.adam_update = _exact_rate(mx.nd.adam_update)
    call, adam = mx.optimizer.Updater.__call__, mx.optimizer.Adam.__init__

    def rescaled(self, index, grad, weight):
        optimizer = self.optimizer
        share, optimizer.rescale_grad = optimizer.rescale_grad, 1.0
        several = isinstance(grad, (list, tuple))
        call(self, index, [g * share for g in grad] if several else grad * share, weight)
        optimizer.rescale_grad = share

    def rounded(self, learning_rate=0.001, beta1=0.9, beta2=0.999, *args, **kwargs):
        """The corrections are made of the betas given: of those that the kernel has."""
        betas = float(np.float32(beta1)), float(np.float32(beta2))
        adam(self, learning_rate, betas[0], betas[1], *args, **kwargs)

    mx.optimizer.Updater.__call__ = rescaled
    mx.optimizer.Adam.__init__ = rounded


def _exact_rate(update):
    """The rate, with its correction or its decay another in every step, is a factor of the step."""

    def updated(weight, *args, **kwargs):
        before, rate = weight.copy(), kwargs["lr"]
        update(weight, *args, **kwargs)
        kwargs["out"][:] = before + (kwargs["out"] - before) * (rate / float(np.float32(rate)))

    return updated


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
