"""Prints without shame, at exit too, and leaves a thread running."""

import atexit
import os
import sys
import threading
import time


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    threading.Thread(target=time.sleep, args=(3600,)).start()
    atexit.register(print, '{"ok": {"wall_s": 0}}')
    print('{"ok": {"wall_s": 0}}')
    os.write(1, b"\x00\xff no line end")
    sys.stderr.write("Warning: " * 1000)
    sys.stdout = None
    time.sleep(0.001 * len(batches))
    return [0.0 for _ in batches]
