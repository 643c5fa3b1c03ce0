"""MindSpore's layers: each one's line in `__init__` and its expression in `construct`."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.mindspore.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.functions import function
from tensorstone.dialects.shared.torch_like import recurrent
from tensorstone.dialects.shared.torch_like.pooling import padded, poolable
from tensorstone.dialects.shared.writing import Unpacked, call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.workload import Workload

FUNCTIONS = {
    "ReLU": "ops.relu({x})",
    "Tanh": "ops.tanh({x})",
    "Sigmoid": "ops.sigmoid({x})",
    "Softsign": "ops.softsign({x})",
    "Softplus": "ops.softplus({x})",
    "GELU": 'ops.gelu({x}, approximate="none")',
    "SiLU": "ops.silu({x})",
    "Softmax": "ops.softmax({x}, axis=1)",
    "Flatten": "ops.flatten({x})",
    "GlobalAvgPool2D": "ops.mean({x}, (2, 3))",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "ops.cat([{x}[:, 0], {x}[:, -1]], axis=1)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    style = Style(
        module=_cell,
        expression=_expression,
        concat=lambda parts: f"ops.cat([{', '.join(parts)}], axis=1)",
        construction=lambda name, given, owns: f"{name}({given})",
        concat_steps=lambda parts: f"ops.cat([{', '.join(parts)}], axis=2)",
        unpacked=_unpacked,
    )
    if dialect.short == "graph":
        _refuse_padded_pools(workload)
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    return {
        "classes": classes(workload.model, style),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "one_bias": any(isinstance(x, R.Recurrent) and x.biases == 1 for x in layers),
    }


def _refuse_padded_pools(workload: Workload) -> None:
    """MindSpore 2.10 on the CPU: a gradient through ops.pad is wrong from the second step on."""
    for leaf in leaves(workload.model.chain):
        if isinstance(leaf.layer, L.MaxPool2D | L.AvgPool2D) and poolable(leaf.layer) is None:
            raise Unsupported(
                f"{leaf.name}: such a padding needs ops.pad, whose gradient is wrong in graph mode"
                " from the second step on (docs/findings.md)"
            )


def _unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked | None:
    return recurrent.unpacked(leaf, x, variable, "ops.cat([{}], axis=1)")


def _cell(leaf: Leaf) -> str | None:
    """The cell a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            return call(
                "nn.Conv2d",
                number(leaf.inputs[0]),
                number(layer.channels),
                kernel_size=size(layer.kernel),
                stride=unless((1, 1), layer.stride, size(layer.stride)),
                **_padding(layer),
                group=unless(1, layer.groups, number(layer.groups)),
                has_bias=unless(False, layer.bias, "True"),
            )
        case L.Dense():
            bias = unless(True, layer.bias, "False")
            return call("nn.Dense", number(leaf.inputs[-1]), number(layer.units), has_bias=bias)
        case L.MaxPool2D():
            return _pool("nn.MaxPool2d", layer)
        case L.AvgPool2D():
            return _average(leaf.name, layer)
        case R.Embedding():
            return f"nn.Embedding({number(layer.vocabulary)}, {number(layer.features)})"
        case R.Recurrent():
            return recurrent.module(leaf, layer)
        case L.BatchNorm():
            return call(
                "nn.BatchNorm2d" if len(leaf.inputs) == 3 else "nn.BatchNorm1d",
                number(leaf.inputs[0]),
                eps=unless(1e-5, layer.epsilon, number(layer.epsilon)),
                momentum=unless(0.9, layer.momentum, number(layer.momentum)),
            )
        case L.Dropout():
            return f"nn.Dropout(p={number(layer.rate)})"
    return None


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.MaxPool2D() | L.AvgPool2D():
            if poolable(layer) is None:
                fill = "0" if isinstance(layer, L.AvgPool2D) else 'float("-inf")'
                x = padded(x, layer.padding, fill, functions="ops")
            return f"self.{leaf.name}({x})"
        case L.Conv2D() | L.Dense() | L.BatchNorm() | L.Dropout() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case L.LeakyReLU():
            return f"ops.leaky_relu({x}, {number(layer.slope)})"
    return function(FUNCTIONS, leaf, x, "MindSpore")


def _padding(layer: L.Conv2D) -> dict[str, str]:
    """By default a convolution pads to keep the map's size."""
    if layer.padding == ((0, 0), (0, 0)):
        return {"pad_mode": '"valid"'}
    assert isinstance(layer.padding, tuple)
    sides = [number(side) for pair in layer.padding for side in pair]  # type: ignore[union-attr]
    one = len(set(sides)) == 1
    return {"pad_mode": '"pad"', "padding": sides[0] if one else f"({', '.join(sides)})"}


def _pool(kind: str, layer: L.MaxPool2D | L.AvgPool2D, **more: str) -> str:
    padding = poolable(layer)
    inside = padding not in (None, (0, 0))
    return call(
        kind,
        size(layer.kernel),
        stride=size(layer.stride),
        pad_mode='"pad"' if inside else None,
        padding=size(padding) if inside else None,
        **more,
    )


def _average(name: str, layer: L.AvgPool2D) -> str:
    if layer.padding == ((0, 0), (0, 0)) or layer.count_padding:
        return _pool("nn.AvgPool2d", layer)
    if symmetric(layer.padding) is None or poolable(layer) is None:
        raise Unsupported(messages.much_padding_in_mean(name, "nn.AvgPool2d"))
    return _pool("nn.AvgPool2d", layer, count_include_pad="False")
