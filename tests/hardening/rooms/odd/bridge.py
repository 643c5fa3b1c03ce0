"""A net is a dictionary of the weights it was given."""

import numpy as np


def configure(threads):
    pass


def version():
    return "0"


def to_native(x):
    return x


def outputs(values):
    return values


def losses(values):
    return values


def read(net, layers):
    wanted = [weight for layer in layers for weight in layer["weights"]]
    return {w["name"]: net.get(w["name"], np.zeros(w["shape"], np.float32)) for w in wanted}


def write(net, layers, arrays):
    net.update(arrays)


def plain_sgd(learner, rate):
    return learner


def wait(learner_or_net):
    pass
