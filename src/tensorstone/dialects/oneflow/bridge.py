"""OneFlow's side of the worker: its layouts are the canonical ones, its work is asynchronous."""

import numpy as np
import oneflow as flow
from oneflow import nn

from stone_worker import torch_layers
from stone_worker.failure import NoDouble
from stone_worker.torch_layers import losses, outputs, to_native  # noqa: F401 (the worker's)


def configure(threads):
    flow.set_num_threads(threads)


def double():
    flow.set_default_dtype(flow.float64)
    _round_betas()
    nn.Graph.add_optimizer = _no_graph
    return "oneflow.set_default_dtype(oneflow.float64), Adam's betas rounded as its kernel has them"


def _round_betas():
    """The kernel's betas are float32, but the bias corrections are made of the betas given: in
    float64 their disagreement (1e-5 in 1 - 0.999) would be all that is seen."""
    made = flow.optim.Adam.__init__

    def rounded(self, params, lr=0.001, betas=(0.9, 0.999), *args, **kwargs):
        made(self, params, lr, tuple(float(np.float32(b)) for b in betas), *args, **kwargs)

    flow.optim.Adam.__init__ = rounded


def _no_graph(*_args, **_kwargs):
    raise NoDouble(
        "OneFlow's nn.Graph casts every gradient that is not float32 to float32 before it updates"
        " weights, and no update kernel takes float32 gradients of float64 weights"
    )


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
