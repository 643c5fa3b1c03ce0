"""Calls exit as a script would."""

import sys


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    sys.exit(0)
