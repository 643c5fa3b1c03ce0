"""Allocates without end."""

import time


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    hoard = []
    while True:
        hoard.append(bytearray(b"x") * (16 * 2**20))
        time.sleep(0.01)
