"""Feeding alone: batches taken one after another and dropped."""

import inspect

from stone_worker.timing import timed


class NoLoader(Exception):
    """There is nothing to measure; the message says why."""


def loader(batches, workers):
    """The program's `batches`, with so many worker processes if it can have them."""
    if not workers:
        return batches
    if "workers" not in inspect.signature(batches).parameters:
        raise NoLoader("its batches cannot be made by other processes")
    return lambda x, y, batch: batches(x, y, batch, workers=workers)


def slices(x, y, batch):
    """What a loop without a loader takes: views, no value is copied."""
    for i in range(0, len(x) - batch + 1, batch):
        yield x[i : i + batch], y[i : i + batch]


def exhaust(passes, wait):
    """How many batches these passes give, and the wall seconds until all of them are there."""
    for batches in passes:
        if not hasattr(batches, "__iter__"):
            raise NoLoader("what its batches returns cannot be iterated by itself")
    count, wall_s = timed(lambda: _count(passes, wait))
    if not count:
        raise NoLoader("its batches are none")
    return count, wall_s


def _count(passes, wait):
    count, batch = 0, None
    for batches in passes:
        for batch in batches:  # noqa: B007 (the last is waited for)
            count += 1
    wait(batch)
    return count
