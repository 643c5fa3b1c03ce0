"""tinygrad's side of the worker: its layouts are the canonical ones, weights found by name."""

import os
from importlib.metadata import version as installed

import numpy as np
from tinygrad import Device, Tensor, nn
from tinygrad.helpers import DEFAULT_FLOAT

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
    "input": "weight_ih",
    "recurrent": "weight_hh",
    "bias": "bias_ih",
    "input_bias": "bias_ih",
    "recurrent_bias": "bias_hh",
}


def configure(threads):
    """Nothing to set: tinygrad reads NUM_CPU_THREADS."""


def double():
    DEFAULT_FLOAT.value = "float64"
    os.environ["OPTIM_DTYPE"] = "float64"
    _widen_adam()
    return "DEFAULT_FLOAT=float64, OPTIM_DTYPE=float64, Adam's powers of its betas in float64 too"


def _widen_adam():
    """Adam's moments follow OPTIM_DTYPE; the powers that correct them are always of float32."""
    made = nn.optim.LAMB.__init__

    def widened(self, *args, **kwargs):
        made(self, *args, **kwargs)
        ones = [Tensor.ones((1,), device=self.device).is_param_(False) for _ in range(2)]
        self.b1_t, self.b2_t = ones

    nn.optim.LAMB.__init__ = widened


def version():
    return installed("tinygrad")


def to_native(x):
    return x


def outputs(values):
    return values.numpy()


def losses(values):
    return [value.item() for value in values]


def read(net, layers):
    return {name: tensor.numpy() for name, tensor in _tensors(net, layers)}


def write(net, layers, arrays):
    for name, tensor in _tensors(net, layers):
        tensor.assign(Tensor(np.ascontiguousarray(arrays[name]))).realize()


def plain_sgd(learner, rate):
    """The optimiser itself becomes another: the step holds on to it."""
    sgd = nn.optim.SGD(nn.state.get_parameters(learner[0]), lr=rate)
    learner[1].__class__, learner[1].__dict__ = sgd.__class__, sgd.__dict__
    return learner


def wait(_):
    Device[Device.DEFAULT].synchronize()


def _tensors(net, layers):
    """Canonical names with their tensors."""
    held = nn.state.get_state_dict(net)
    count = len([name for name in held if not name.endswith("num_batches_tracked")])
    wanted = sum(len(layer["weights"]) for layer in layers)
    if count != wanted:
        raise ValueError("%d arrays of weights, not %d" % (count, wanted))
    for layer in layers:
        for weight in layer["weights"]:
            name = "%s.%s" % (layer["name"], _place(layer["name"], held, weight["role"]))
            found = held[name].shape if name in held else "nothing"
            if name not in held or list(found) != list(weight["shape"]):
                raise ValueError("%s: %s, not %s" % (weight["name"], found, weight["shape"]))
            yield weight["name"], held[name]


def _place(layer, held, role):
    """Where in a layer the weight of a role is."""
    if layer + ".cell.weight_ih" in held:
        return "cell." + CELL_PARAMETERS[role]
    if layer + ".ahead.cell.weight_ih" in held:
        side = "back" if role.startswith("backward_") else "ahead"
        return "%s.cell.%s" % (side, CELL_PARAMETERS[role.replace("backward_", "")])
    return PARAMETERS[role]
