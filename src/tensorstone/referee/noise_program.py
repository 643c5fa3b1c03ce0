"""A program like any other, whose step is a fixed amount of NumPy work: raced against itself, it
shows how much two equal things differ on this machine. Runs in the worker (Python 3.6 source)."""

import numpy as np

SIZE = 160


def network():
    return np.ones((SIZE, SIZE), np.float32)


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    losses = []
    for _ in batches:
        # A product for the arithmetic units, a fresh copy for memory and its allocator.
        losses.append((learner @ learner).copy()[0, 0])
    return losses


def predict(net, x):
    return x


def save(net, path):
    np.save(path, net)


def load(path):
    return np.load(path)
