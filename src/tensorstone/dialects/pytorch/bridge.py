"""PyTorch's side of the worker: its layouts are the canonical ones."""

import torch

from stone_worker import torch_layers
from stone_worker.torch_layers import losses, outputs, to_native  # noqa: F401 (the worker's)


def configure(threads):
    torch.set_num_threads(threads)


def double():
    torch.set_default_dtype(torch.float64)
    return "torch.set_default_dtype(torch.float64)"


def version():
    return torch.__version__


def read(net, layers):
    return torch_layers.read(torch, net, layers)


def write(net, layers, arrays):
    torch_layers.write(torch, net, layers, arrays)


def plain_sgd(learner, rate):
    net, loss_fn = learner[:2]
    return (net, loss_fn, torch.optim.SGD(net.parameters(), lr=rate), *learner[3:])


def wait(_):
    """Nothing to wait for: on the CPU every operation has ended when its call returns."""
