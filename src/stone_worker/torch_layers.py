"""What PyTorch's and OneFlow's bridges share: modules in definition order, canonical layouts.

`library` is the framework's module: torch, oneflow.
"""

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


def to_native(x):
    return x


def outputs(values):
    return values.numpy()


def losses(values):
    return [float(value) for value in values]


def read(library, net, layers):
    with library.no_grad():
        return {
            name: (tensor.clone() if second is None else tensor + second).numpy()
            for name, tensor, second in _tensors(library.nn, net, layers)
        }


def write(library, net, layers, arrays):
    with library.no_grad():
        for name, tensor, second in _tensors(library.nn, net, layers):
            tensor.copy_(library.from_numpy(arrays[name]))
            if second is not None:
                second.zero_()


def _tensors(nn, net, layers):
    """Canonical names with their tensors, the network's modules in definition order.

    The third is None, or the tensor that a recurrent layer adds to its only bias.
    """
    kinds = (nn.Conv2d, nn.Linear, nn.BatchNorm1d, nn.BatchNorm2d, nn.Embedding, nn.RNNBase)
    modules = [module for module in net.modules() if isinstance(module, kinds)]
    if len(modules) != len(layers):
        raise ValueError("%d layers with weights, not %d" % (len(modules), len(layers)))
    for module, layer in zip(modules, layers):
        for weight in layer["weights"]:
            tensor, second = _named(nn, module, weight["role"])
            if tensor is None or list(tensor.shape) != list(weight["shape"]):
                found = "nothing" if tensor is None else list(tensor.shape)
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield weight["name"], tensor, second


def _named(nn, module, role):
    """The tensor of a role, and the one that is added to it or None."""
    if not isinstance(module, nn.RNNBase):
        return getattr(module, PARAMETERS[role]), None
    side = "_reverse" if role.startswith("backward_") else ""
    role = role[len("backward_") :] if side else role
    second = getattr(module, "bias_hh_l0" + side, None) if role == "bias" else None
    return getattr(module, CELL_PARAMETERS[role] + side, None), second
