"""PyTorch's side of the worker: its layouts are the canonical ones."""

import torch
from torch import nn

PARAMETERS = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "weight",
    "beta": "bias",
    "mean": "running_mean",
    "variance": "running_var",
}


def configure(threads):
    torch.set_num_threads(threads)


def version():
    return torch.__version__


def to_native(x):
    return x


def outputs(values):
    return values.numpy()


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    return {name: tensor.detach().numpy().copy() for name, tensor in _tensors(net, layers)}


def write(net, layers, arrays):
    with torch.no_grad():
        for name, tensor in _tensors(net, layers):
            tensor.copy_(torch.from_numpy(arrays[name]))


def plain_sgd(learner, rate):
    net, loss_fn = learner[:2]
    return (net, loss_fn, torch.optim.SGD(net.parameters(), lr=rate), *learner[3:])


def wait(_):
    """Nothing to wait for: on the CPU every operation has ended when its call returns."""


def _tensors(net, layers):
    """Pairs of canonical name and tensor, the network's modules in definition order."""
    kinds = (nn.Conv2d, nn.Linear, nn.BatchNorm1d, nn.BatchNorm2d)
    modules = [module for module in net.modules() if isinstance(module, kinds)]
    if len(modules) != len(layers):
        raise ValueError("%d layers with weights, not %d" % (len(modules), len(layers)))
    for module, layer in zip(modules, layers):
        for weight in layer["weights"]:
            tensor = getattr(module, PARAMETERS[weight["role"]])
            if tensor is None or list(tensor.shape) != list(weight["shape"]):
                found = "nothing" if tensor is None else list(tensor.shape)
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield weight["name"], tensor
