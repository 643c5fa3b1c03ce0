"""Fails as programs do."""


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    raise ValueError("shapes (3, 4) and (5, 6) do not match")
