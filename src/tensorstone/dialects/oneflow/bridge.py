"""OneFlow's side of the worker: its layouts are the canonical ones, its work is asynchronous."""

import oneflow as flow
from oneflow import nn

from stone_worker import torch_layers
from stone_worker.torch_layers import losses, outputs, to_native  # noqa: F401 (the worker's)


def configure(threads):
    flow.set_num_threads(threads)


def version():
    return flow.__version__


def read(net, layers):
    return torch_layers.read(flow, net, layers)


def write(net, layers, arrays):
    torch_layers.write(flow, net, layers, arrays)


def plain_sgd(learner, rate):
    sgd = flow.optim.SGD(learner[0].parameters(), lr=rate)
    if isinstance(learner[1], nn.Graph):
        # Not compiled yet: it can still be given another optimiser.
        learner[1]._opts.clear()
        learner[1].add_optimizer(sgd)
        return learner
    return (learner[0], learner[1], sgd, *learner[3:])


def wait(_):
    flow._oneflow_internal.eager.Sync()
