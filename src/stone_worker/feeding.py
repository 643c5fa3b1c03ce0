"""The samples held ready for timing.

A block wants steps x batch samples, thousands of steps for a small model. Holding them all would
cost gigabytes and show up in the peak memory of whoever is fastest; so everyone holds the same
amount, the data repeated or cut to about 256 MiB (but 4 to 4096 batches), and a longer block
passes over it several times. That is about an epoch of the published small sets: what a framework
does once an epoch (starting `fit`, making an iterator) is paid about as often as in real training.
"""

HELD_BYTES = 256 * 2**20
FEWEST_STEPS, MOST_STEPS = 4, 4096


def held_steps(batch_bytes):
    """How many batches to hold of this size."""
    return min(MOST_STEPS, max(FEWEST_STEPS, HELD_BYTES // max(1, batch_bytes)))


def passes(steps, held):
    """How a block of `steps` goes over `held` batches: (number of passes, steps in each).

    Equal passes, so never fewer than asked and by less than one step a pass more.
    """
    count = -(-steps // held)
    return count, -(-steps // count)


def repeat_to(array, samples):
    """The first `samples` rows of the array repeated without end, as one contiguous array."""
    import numpy

    if len(array) >= samples:
        return numpy.ascontiguousarray(array[:samples])
    return numpy.resize(array, (samples, *array.shape[1:]))
