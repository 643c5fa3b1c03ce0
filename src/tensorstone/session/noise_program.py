"""A program like any other, whose step is a fixed amount of NumPy work: raced against itself, it
shows how much two equal things differ on this machine. Runs in the worker (Python 3.6 source)."""

import numpy as np

SIZE = 160


def network():
    return {"matrix": np.ones((SIZE, SIZE), np.float32)}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    matrix = learner["matrix"]
    # A product for the arithmetic units, a fresh copy for memory and its allocator.
    return [(matrix @ matrix).copy()[0, 0] for _ in batches]


def predict(net, x):
    return x


def save(net, path):
    np.savez(path, **net)


def load(path):
    return dict(np.load(path))
