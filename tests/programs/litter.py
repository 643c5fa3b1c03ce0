"""Leaves processes behind, one in a session of its own, one that forks on."""

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
        for _ in range(2):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(3600)
                os._exit(0)
        if os.fork() == 0:
            time.sleep(3600)
    time.sleep(0.001 * len(batches))
    return [0.0 for _ in batches]
