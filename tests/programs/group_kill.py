"""Signals its whole process group."""

import os
import signal


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    os.killpg(0, signal.SIGKILL)
