"""Crashes every second time it is started."""

import os
import time


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    if len(batches) == 1 and not learner.get("met"):
        learner["met"] = True
        if os.path.exists("was-here"):
            os.remove("was-here")
            os.abort()
        with open("was-here", "w"):
            pass
    time.sleep(0.001 * len(batches))
    return [0.0 for _ in batches]
