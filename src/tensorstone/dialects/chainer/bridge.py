"""Chainer's side of the worker: canonical layouts, but recurrent weights gate by gate."""

import chainer
import numpy as np

PARAMETERS = {
    "weight": "W",
    "bias": "b",
    "gamma": "gamma",
    "beta": "beta",
    "mean": "avg_mean",
    "variance": "avg_var",
    "table": "W",
}
# A recurrent link numbers its gates' arrays through: the input's, then the state's.
CELL_PARAMETERS = {
    "input": ("w", False),
    "recurrent": ("w", True),
    "bias": ("b", False),
    "input_bias": ("b", False),
    "recurrent_bias": ("b", True),
}


def configure(threads):
    """Nothing to do: NumPy and iDeep read their thread counts from the environment."""


def double():
    chainer.config.dtype = np.dtype("float64")
    return 'chainer.config.dtype = np.dtype("float64")'


def version():
    return chainer.__version__


def to_native(x):
    return x


def outputs(values):
    return np.asarray(values)


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {
        weight["name"]: np.concatenate([np.array(_array(link, name)) for link, name in places])
        for weight, places in _places(net, layers)
    }


def write(net, layers, arrays):
    for weight, places in _places(net, layers):
        for (link, name), part in zip(places, np.split(arrays[weight["name"]], len(places))):
            held, sent = getattr(link, name), link.device.send(part.copy())
            if isinstance(held, chainer.Parameter):
                held.array = sent
            else:
                setattr(link, name, sent)


def plain_sgd(learner, rate):
    net, loss_fn, _ = learner
    optimizer = chainer.optimizers.SGD(lr=rate).setup(net)
    optimizer.add_hook(_contiguous, name="contiguous")
    return net, loss_fn, optimizer


def _contiguous(optimizer):
    """iDeep's update refuses a gradient that is a view of a larger array."""
    for parameter in optimizer.target.params():
        if isinstance(parameter.grad, np.ndarray):
            parameter.grad = np.ascontiguousarray(parameter.grad)


def wait(_):
    """Nothing to wait for: every operation has ended when its call returns."""


def _places(net, layers):
    """Each weight with the links and attributes whose arrays, one above another, are it."""
    found = []
    for layer in layers:
        link = net
        for name in layer["name"].split("."):
            link = getattr(link, name)
        for weight in layer["weights"]:
            places = _named(link, weight["role"])
            rows = weight["shape"][0] // len(places)
            for place in places:
                _check(place, weight["name"], (rows, *weight["shape"][1:]))
            found.append((weight, places))
    matched = {id(getattr(link, name)) for _, places in found for link, name in places}
    strange = [name for name, p in net.namedparams() if id(p) not in matched]
    if strange:
        raise ValueError("%s: weights that the model has not" % ", ".join(sorted(strange)))
    return found


def _named(link, role):
    if not isinstance(link, chainer.ChainList):
        return [(link, PARAMETERS[role])]
    backward = role.startswith("backward_")
    letter, second = CELL_PARAMETERS[role[len("backward_") :] if backward else role]
    gates = link.n_weights // 2
    direction = link[1 if backward else 0]
    return [(direction, letter + str(i + (gates if second else 0))) for i in range(gates)]


def _check(place, name, shape):
    link, attribute = place
    held = getattr(link, attribute, None)
    if held is None:
        raise ValueError("%s: nothing, not %s" % (name, shape))
    # A size that waits for the first batch: if this shape were wrong, that batch would say so.
    if isinstance(held, chainer.Parameter) and held.array is None:
        held.initialize(shape)
    if tuple(held.shape) != shape:
        raise ValueError("%s: %s, not %s" % (name, tuple(held.shape), shape))


def _array(link, name):
    held = getattr(link, name)
    return held.array if isinstance(held, chainer.Parameter) else held
