"""Writes down how many batches each call of `train` was given."""

import time


def network():
    return None


def learner(net):
    return None


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    time.sleep(0.001 * len(batches))
    with open("tally", "a", encoding="ascii") as tally:
        tally.write("%d\n" % len(batches))
    return [0.0 for _ in batches]
