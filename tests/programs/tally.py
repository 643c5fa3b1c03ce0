"""Writes down how many batches each call of `train` was given."""

import time
from pathlib import Path


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    time.sleep(0.001 * len(batches))
    with Path("tally").open("a", encoding="ascii") as tally:
        tally.write(f"{len(batches)}\n")
    return [0.0 for _ in batches]
