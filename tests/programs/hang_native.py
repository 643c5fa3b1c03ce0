"""Never returns from native code, holding the interpreter's lock."""

import ctypes


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    ctypes.PyDLL(None).pause()
