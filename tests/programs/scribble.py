"""Writes on every pipe it finds, the worker's among them."""

import os
import stat


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    for fd in range(3, 4096):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, b"rubbish\n")
        except OSError:
            pass
    return [0.0 for _ in batches]
