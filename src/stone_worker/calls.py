"""Predictions timed one by one.

The first is apart: it may compile, or build what every later one uses. Then a stretch that warms
up and is not kept, then the calls that count. The garbage collector rests, as it does for blocks.
"""

import gc
from itertools import cycle

from stone_worker.timing import perf_counter, timed

WARM_UP = 0.2  # of the time the calls may take
FEWEST = 2


def cut(x, batch, most):
    """At most so many whole batches of the array, made before the clock starts."""
    return [x[i : i + batch] for i in range(0, len(x) - batch + 1, batch)][:most]


def time_calls(call, arguments, seconds, most):
    """The first call's wall seconds, and a list of those of the warm calls.

    At most `most` of them, and no new one after `seconds`; but never fewer than two.
    """
    arguments = cycle(arguments)
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        first_s = timed(lambda: call(next(arguments)))[1]
        _run(call, arguments, WARM_UP * seconds, 1, most)
        return first_s, _run(call, arguments, seconds, FEWEST, most)
    finally:
        if enabled:
            gc.enable()


def _run(call, arguments, seconds, fewest, most):
    walls = []
    end = perf_counter() + seconds
    while len(walls) < fewest or (len(walls) < most and perf_counter() < end):
        argument = next(arguments)
        start = perf_counter()
        call(argument)
        walls.append(perf_counter() - start)
    return walls
