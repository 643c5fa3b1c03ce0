"""Paddle's side of the worker: its layouts are the canonical ones, but dense layers are in × out.

Weights are found by the names Paddle gives them, `conv2d_0.w_0`: the same whether a layer holds its
tensors itself or a Program's are in the global scope.
"""

import re
from collections import OrderedDict

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import static
from paddle.utils import unique_name

from stone_worker.failure import NoDouble

# What a role's tensor is called after its layer.
NAMES = {
    "weight": "w_0",
    "bias": "b_0",
    "gamma": "w_0",
    "beta": "b_0",
    "mean": "w_1",
    "variance": "w_2",
    "table": "w_0",
    "input": "w_0",
    "recurrent": "w_1",
    "input_bias": "b_0",
    "recurrent_bias": "b_1",
}
SECOND_BIAS = "b_1"
# A fused recurrent layer has tensors of its own beside its cells': they are no weights.
NAME = re.compile(
    r"(?P<layer>(conv2d|linear|batch_norm[12]d|embedding|(simple_rnn|lstm|gru)_cell)_\d+)"
    r"\.(?P<tensor>[wb]_\d)"
)
# A Program's updates, and which of their operands is the gradient; the first is the parameter.
UPDATES = {"pd_op.sgd_": 2, "pd_op.momentum_": 1, "pd_op.adam_": 1}


def configure(threads):
    """Nothing to do: Paddle reads its thread counts from the environment (framework.toml)."""


def double():
    paddle.set_default_dtype("float64")
    F.avg_pool2d = _exactly_averaged(F.avg_pool2d)
    said = 'paddle.set_default_dtype("float64")'
    if paddle.in_dynamic_mode():
        return said
    _round_betas()
    return said + ", Adam's betas rounded as a Program has them"


def _exactly_averaged(pool):
    """The kernel of its gradient has 1/count in float32: exact where that is a power of two."""

    def pooled(x, kernel_size, stride=None, padding=0, **more):
        count = int(np.prod(np.broadcast_to(kernel_size, 2)))
        if padding != 0 or count & (count - 1):
            raise NoDouble(
                "Paddle's CPU kernel for the gradient of an average pool divides by a count that it"
                " holds in float32"
            )
        return pool(x, kernel_size, stride=stride, padding=padding, **more)

    return pooled


def _round_betas():
    """A Program's betas are float32 attributes, but the powers that correct for them start from the
    betas given: in float64 their disagreement (1e-5 in 1 - 0.999) would be all that is seen."""
    made = paddle.optimizer.Adam.__init__

    def rounded(self, learning_rate=0.001, beta1=0.9, beta2=0.999, *args, **kwargs):
        betas = float(np.float32(beta1)), float(np.float32(beta2))
        made(self, learning_rate, *betas, *args, **kwargs)

    paddle.optimizer.Adam.__init__ = rounded


def version():
    return paddle.__version__


def to_native(x):
    return x


def outputs(values):
    return np.asarray(values)


def losses(values):
    return [float(value) for value in values]


def read(net, layers):
    arrays = {}
    for name, tensor, second, turned in _tensors(net, layers):
        array = np.array(tensor)
        array = array if second is None else array + np.array(second)
        arrays[name] = array.T if turned else array
    return arrays


def write(net, layers, arrays):
    for name, tensor, second, turned in _tensors(net, layers):
        array = arrays[name].T if turned else arrays[name]
        tensor.set(np.ascontiguousarray(array), paddle.CPUPlace())
        if second is not None:
            second.set(np.zeros_like(array), paddle.CPUPlace())


def plain_sgd(learner, rate):
    if isinstance(learner[0], paddle.nn.Layer):
        net, loss_fn = learner[:2]
        sgd = paddle.optimizer.SGD(rate, parameters=net.parameters())
        return (net, loss_fn, sgd, *learner[3:])
    program = learner[0]
    block = program.global_block()
    updates = [operation for operation in block.ops if operation.name() in UPDATES]
    pairs = [(u.operand_source(0), u.operand_source(UPDATES[u.name()])) for u in updates]
    for update in updates:
        block.remove_op(update)
    startup = static.Program()
    # In the scope, another learning rate needs a name of its own.
    with static.program_guard(program, startup), unique_name.guard("plain_"):
        paddle.optimizer.SGD(rate).apply_gradients(pairs)
    static.Executor().run(startup)
    return learner


def wait(_):
    """Nothing to wait for: on the CPU every operation has ended when its call returns."""


def _tensors(net, layers):
    """Canonical names with their tensors, in definition order, and whether they are transposed.

    A recurrent layer's only bias is the sum of its two: the second is said too.
    """
    owners = OrderedDict()
    for name, tensor in _held(net):
        parts = NAME.fullmatch(name)
        if parts:
            owners.setdefault(parts.group("layer"), {})[parts.group("tensor")] = tensor
    sides = [(layer, side) for layer in layers for side in _sides(layer)]
    if len(owners) != len(sides):
        raise ValueError("%d layers with weights, not %d" % (len(owners), len(sides)))
    for (layer, side), (owner, held) in zip(sides, owners.items()):
        for weight in layer["weights"]:
            role = weight["role"]
            if role.startswith("backward_") != bool(side):
                continue
            role = role[len(side) :]
            tensor = held.get(NAMES[role])
            turned = owner.startswith("linear") and role == "weight"
            shape = list(weight["shape"])
            found = None if tensor is None else list(tensor.shape())
            if found != (shape[::-1] if turned else shape):
                raise ValueError("%s: %s, not %s" % (weight["name"], found, shape))
            second = held.get(SECOND_BIAS) if role == "bias" else None
            yield weight["name"], tensor, second, turned


def _sides(layer):
    """A bidirectional layer is two cells to Paddle."""
    backward = any(weight["role"].startswith("backward_") for weight in layer["weights"])
    return ("", "backward_") if backward else ("",)


def _held(net):
    """Every tensor of a network with its name, in the order they were made."""
    if isinstance(net, paddle.nn.Layer):
        return [(t.name, t.get_tensor()) for t in net.parameters() + net.buffers()]
    program, _ = net
    scope = static.global_scope()
    # A Program lists its newest first.
    names = [value.name for value in reversed(program.global_block().all_parameters())]
    return [(name, scope.find_var(name).get_tensor()) for name in names]
