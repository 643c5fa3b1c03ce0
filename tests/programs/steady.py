"""Sleeps a millisecond a step: a program that behaves."""

import time


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    losses = []
    for _ in batches:
        time.sleep(0.001)
        losses.append(0.0)
    return losses
