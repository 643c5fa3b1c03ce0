"""Forks, and both come back."""

import os
import time


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    if not learner.get("done"):
        learner["done"] = True
        os.fork()
    time.sleep(0.001 * len(batches))
    return [0.0 for _ in batches]
