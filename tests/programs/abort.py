"""Gives up as a failed assertion in native code does."""

import os


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    print("assertion failed: shapes differ")
    os.abort()
