"""Crashes every second time it is started."""

import os
import time
from pathlib import Path


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    if len(batches) == 1 and not learner.get("met"):
        learner["met"] = True
        been = Path("been-here")
        if been.exists():
            been.unlink()
            os.abort()
        been.touch()
    time.sleep(0.003 * len(batches))  # never the fastest: it would sit twice
    return [0.0 for _ in batches]
