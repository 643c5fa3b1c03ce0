"""Paths that are joined otherwise: residual sums and concatenations."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, deviation, swap
from benchmarks.deviations.nets import DENSE, LENET, RESIDUAL

SUM, SUM_KERAS, SUM_FLAX, SUM_GLUON = (
    "return F.relu(y + x)",
    'x = layers.add([y, x])\n    return layers.Activation("relu")(x)',
    "return nnx.relu(y + x)",
    'return mx.nd.Activation(y + x, act_type="relu")',
)
FLAT = "x = torch.flatten(x, 1)"

DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "skip-missing",
        RESIDUAL,
        "the residual blocks do not add what came in",
        where="add|residual",
        says=("add|skip|path|sum|residual", "missing|without|not added|left out|no |only|never"),
        blind=True,
        torch=swap(SUM, "return F.relu(y)"),
        keras=swap(SUM_KERAS, 'return layers.Activation("relu")(y)'),
        flax=swap(SUM_FLAX, "return nnx.relu(y)"),
        gluon=swap(SUM_GLUON, 'return mx.nd.Activation(y, act_type="relu")'),
    ),
    deviation(
        "relu-before-sum",
        RESIDUAL,
        "the residual blocks' last ReLU before the sum instead of after",
        where="add|relu|residual",
        says=("before|order|after|swapp|exchang",),
        blind=True,
        torch=swap(SUM, "return F.relu(y) + x"),
        keras=swap(SUM_KERAS, 'return layers.add([layers.Activation("relu")(y), x])'),
        flax=swap(SUM_FLAX, "return nnx.relu(y) + x"),
        gluon=swap(SUM_GLUON, 'return mx.nd.Activation(y, act_type="relu") + x'),
    ),
    deviation(
        "sum-scaled",
        RESIDUAL,
        "the residual blocks' sums are divided by √2",
        where="add|residual|relu",
        says=("0?.707|√2|1.414|sqrt|scal|factor|times",),
        blind=True,
        torch=swap(SUM, "return F.relu((y + x) / 2**0.5)"),
        keras=swap("x = layers.add([y, x])", "x = layers.add([y, x]) / 2**0.5"),
        flax=swap(SUM_FLAX, "return nnx.relu((y + x) / 2**0.5)"),
        gluon=swap(SUM_GLUON, 'return mx.nd.Activation((y + x) / 2**0.5, act_type="relu")'),
    ),
    deviation(
        "concat-order",
        DENSE,
        "the new channels before the old ones",
        where="grown|concat",
        says=("order|before|permut|first",),
        blind=True,
        torch=swap("torch.cat([x, branch1], dim=1)", "torch.cat([branch1, x], dim=1)"),
        keras=swap("layers.concatenate([x, branch1])", "layers.concatenate([branch1, x])"),
        flax=swap(
            "jnp.concatenate([x, branch1], axis=-1)", "jnp.concatenate([branch1, x], axis=-1)"
        ),
        gluon=swap("mx.nd.concat(x, branch1)", "mx.nd.concat(branch1, x)"),
    ),
    deviation(
        "flatten-channels-last",
        LENET,
        "the map is flattened with its channels last",
        where="flatten|fc1",
        says=("flatten|order|channel|height|permut|layout",),
        torch=swap(FLAT, "x = torch.flatten(x.permute(0, 2, 3, 1), 1)"),
        gluon=swap(
            "# Dense flattens what it reads.", "nn.Lambda(lambda v: v.transpose((0, 2, 3, 1))),"
        ),
    ),
    deviation(
        "flatten-channels-first",
        LENET,
        "the map is flattened with its channels first in a framework that keeps them last",
        where="flatten|fc1",
        says=("flatten|order|channel|height|permut|layout",),
        keras=swap("layers.Flatten()", "layers.Permute((3, 1, 2)), layers.Flatten()"),
        flax=swap("x = x.reshape(", "x = x.transpose(0, 3, 1, 2)\n        x = x.reshape("),
    ),
    deviation(
        "flatten-transposed",
        LENET,
        "the map is flattened width before height",
        where="flatten|fc1",
        says=("flatten|order|height|width|permut|transpos",),
        blind=True,
        torch=swap(FLAT, "x = torch.flatten(x.transpose(2, 3), 1)"),
        flax=swap("x = x.reshape(", "x = x.transpose(0, 2, 1, 3)\n        x = x.reshape("),
    ),
)
