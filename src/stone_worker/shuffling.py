"""The order in which an epoch takes the samples: the same for every dialect."""


def epoch_order(samples, batch, seed, epoch):
    """Which samples an epoch trains on, in order: a permutation without its incomplete last batch.

    From the one generator of NumPy whose numbers are promised never to change: environments hold
    NumPys from 1.14 to 2.x, and all must shuffle alike.
    """
    import numpy

    order = numpy.random.RandomState([seed, epoch]).permutation(samples)
    return order[: samples // batch * batch]
