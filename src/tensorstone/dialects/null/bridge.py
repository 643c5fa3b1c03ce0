"""The null room's bridge: a net is a dictionary of the weights it was given."""


def configure(threads):
    pass


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
