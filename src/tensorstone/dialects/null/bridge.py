"""The null room's bridge: a net is a dictionary of the weights it was given."""

from stone_worker.failure import NoDouble


def configure(threads):
    pass


def double():
    raise NoDouble("the null room computes nothing")


def version():
    return "0"


def to_native(x):
    return x


def outputs(values):
    return values


def losses(values):
    return values


def read(net, layers):
    return dict(net)


def write(net, layers, arrays):
    net.update(arrays)


def plain_sgd(learner, rate):
    return learner


def wait(learner_or_net):
    pass
