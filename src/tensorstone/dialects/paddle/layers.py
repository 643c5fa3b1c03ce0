"""Paddle's layers: each one's line in `__init__` and its expression in `forward`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tensorstone.dialects.paddle import recurrent
from tensorstone.dialects.paddle.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.functions import function, unnamed
from tensorstone.dialects.shared.writing import call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.workload import Workload

FUNCTIONS = {
    "ReLU": "F.relu({x})",
    "LeakyReLU": "F.leaky_relu({x}{slope})",
    "Tanh": "F.tanh({x})",
    "Sigmoid": "F.sigmoid({x})",
    "Softsign": "F.softsign({x})",
    "Softplus": "F.softplus({x})",
    "GELU": "F.gelu({x})",
    "SiLU": "F.silu({x})",
    "Softmax": "F.softmax({x}, axis=1)",
    "Flatten": "paddle.flatten({x}, 1)",
    "GlobalAvgPool2D": "paddle.mean({x}, axis=[2, 3])",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "paddle.concat([{x}[:, 0], {x}[:, -1]], axis=1)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    style = Style(
        module=_module,
        expression=_expression,
        concat=lambda parts: f"paddle.concat([{', '.join(parts)}], axis=1)",
        construction=lambda name, given, owns: f"{name}({given})",
        concat_steps=lambda parts: f"paddle.concat([{', '.join(parts)}], axis=2)",
        unpacked=recurrent.unpacked,
    )
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    weights = None if dialect.short == "static" else "net.parameters()"
    return {
        "classes": classes(workload.model, style),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe, weights),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "one_bias": any(isinstance(cell, R.Recurrent) and cell.biases == 1 for cell in layers),
    }


def _module(leaf: Leaf) -> str | None:
    """The layer object a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            return call(
                "nn.Conv2D",
                number(leaf.inputs[0]),
                number(layer.channels),
                kernel_size=size(layer.kernel),
                stride=unless((1, 1), layer.stride, size(layer.stride)),
                padding=_padding(layer.padding),
                groups=unless(1, layer.groups, number(layer.groups)),
                bias_attr=unless(True, layer.bias, "False"),
            )
        case L.Dense():
            bias = unless(True, layer.bias, "False")
            return call("nn.Linear", number(leaf.inputs[-1]), number(layer.units), bias_attr=bias)
        case R.Embedding():
            return f"nn.Embedding({number(layer.vocabulary)}, {number(layer.features)})"
        case R.Recurrent():
            return recurrent.module(leaf, layer)
        case L.BatchNorm():
            return call(
                "nn.BatchNorm2D" if len(leaf.inputs) == 3 else "nn.BatchNorm1D",
                number(leaf.inputs[0]),
                momentum=unless(0.9, layer.momentum, number(layer.momentum)),
                epsilon=unless(1e-5, layer.epsilon, number(layer.epsilon)),
            )
        case L.Dropout():
            return f"nn.Dropout({number(layer.rate)})"
    return None


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D() | L.Dense() | L.BatchNorm() | L.Dropout() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case L.MaxPool2D():
            return _pool("F.max_pool2d", layer, x)
        case L.AvgPool2D():
            return _average(layer, x)
        case L.LeakyReLU():
            slope = "" if layer.slope == 0.01 else f", {number(layer.slope)}"
            return FUNCTIONS["LeakyReLU"].format(x=x, slope=slope)
    return function(FUNCTIONS, leaf, x, "Paddle")


def _average(layer: L.AvgPool2D, x: str) -> str:
    """Padding stays out of the mean by default: `exclusive`. Where it is to count and is more after
    the map than before it, Paddle does not count the rest of it (docs/findings.md)."""
    padding: Any = unnamed(layer.padding)
    if not layer.count_padding or padding == ((0, 0), (0, 0)):
        return _pool("F.avg_pool2d", layer, x)
    (top, bottom), (left, right) = padding
    if bottom <= top and right <= left:
        return _pool("F.avg_pool2d", layer, x, exclusive="False")
    padded = call("F.pad", x, f"[{', '.join(map(number, (left, right, top, bottom)))}]")
    return _pool("F.avg_pool2d", replace(layer, padding=((0, 0), (0, 0))), padded)


def _pool(function: str, layer: L.MaxPool2D | L.AvgPool2D, x: str, **more: str | None) -> str:
    return call(
        function,
        x,
        size(unnamed(layer.kernel)),
        stride=unless(layer.kernel, layer.stride, size(unnamed(layer.stride))),
        padding=_padding(unnamed(layer.padding)),
        **more,
    )


def _padding(padding: object) -> str | None:
    """One number, (height, width), or all four sides where two that face each other differ."""
    assert isinstance(padding, tuple)
    if padding == ((0, 0), (0, 0)):
        return None
    if sides := symmetric(padding):
        return size(sides)
    (top, bottom), (left, right) = padding
    return f"[{', '.join(map(number, (top, bottom, left, right)))}]"
