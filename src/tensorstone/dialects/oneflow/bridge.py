"""OneFlow's side of the worker: its layouts are the canonical ones, its work is asynchronous."""

import oneflow as flow
from oneflow import nn

PARAMETERS = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "weight",
    "beta": "bias",
    "mean": "running_mean",
    "variance": "running_var",
    "table": "weight",
}
CELL_PARAMETERS = {
    "input": "weight_ih_l0",
    "recurrent": "weight_hh_l0",
    "bias": "bias_ih_l0",
    "input_bias": "bias_ih_l0",
    "recurrent_bias": "bias_hh_l0",
}


def configure(threads):
    flow.set_num_threads(threads)


def version():
    return flow.__version__


def to_native(x):
    return x


def outputs(values):
    return values.numpy()


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    with flow.no_grad():
        return {
            name: (tensor.clone() if second is None else tensor + second).numpy()
            for name, tensor, second in _tensors(net, layers)
        }


def write(net, layers, arrays):
    with flow.no_grad():
        for name, tensor, second in _tensors(net, layers):
            tensor.copy_(flow.from_numpy(arrays[name]))
            if second is not None:
                second.zero_()


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


def _tensors(net, layers):
    """Canonical names with their tensors, the network's modules in definition order.

    A recurrent layer's only bias is the sum of its two: the second is said too.
    """
    kinds = (nn.Conv2d, nn.Linear, nn.BatchNorm1d, nn.BatchNorm2d, nn.Embedding, nn.RNNBase)
    modules = [module for module in net.modules() if isinstance(module, kinds)]
    if len(modules) != len(layers):
        raise ValueError("%d layers with weights, not %d" % (len(modules), len(layers)))
    for module, layer in zip(modules, layers):
        for weight in layer["weights"]:
            tensor, second = _named(module, weight["role"])
            if tensor is None or list(tensor.shape) != list(weight["shape"]):
                found = "nothing" if tensor is None else list(tensor.shape)
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield weight["name"], tensor, second


def _named(module, role):
    """The tensor of a role, and the one that is added to it or None."""
    if not isinstance(module, nn.RNNBase):
        return getattr(module, PARAMETERS[role]), None
    side = "_reverse" if role.startswith("backward_") else ""
    role = role[len("backward_") :] if side else role
    second = getattr(module, "bias_hh_l0" + side, None) if role == "bias" else None
    return getattr(module, CELL_PARAMETERS[role] + side, None), second
