"""Reads from nowhere."""

import ctypes


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    ctypes.string_at(0)
