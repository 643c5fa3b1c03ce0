"""tinygrad's layers: each one's line in `__init__` and its method in `__call__`."""

from __future__ import annotations

import ast

from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.functions import function, unnamed
from tensorstone.dialects.shared.torch_like import layers as torch_like
from tensorstone.dialects.shared.writing import call, number, size, symmetric, unless
from tensorstone.dialects.tinygrad import recurrent
from tensorstone.dialects.tinygrad.recipe import LOSSES, optimiser
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.recipe import RMSprop
from tensorstone.models.workload import Workload

METHODS = {
    "ReLU": "{x}.relu()",
    "Tanh": "{x}.tanh()",
    "Sigmoid": "{x}.sigmoid()",
    "Softsign": "{x}.softsign()",
    "Softplus": "{x}.softplus()",
    "GELU": '{x}.gelu(approximate="none")',
    "SiLU": "{x}.silu()",
    "Softmax": "{x}.softmax(axis=1)",
    "Flatten": "{x}.flatten(1)",
    "GlobalAvgPool2D": "{x}.mean(axis=(2, 3))",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    style = Style(
        module=_module,
        expression=_expression,
        concat=lambda parts: f"Tensor.cat({', '.join(parts)}, dim=1)",
        construction=lambda name, given, owns: f"{name}({given})",
        concat_steps=lambda parts: f"Tensor.cat({', '.join(parts)}, dim=2)",
        unpacked=recurrent.unpacked,
    )
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    cells = [layer for layer in layers if isinstance(layer, R.Recurrent)]
    return {
        "classes": classes(workload.model, style),
        "recurrent": bool(cells),
        "one_bias": any(cell.biases == 1 for cell in cells),
        "two_biases": any(cell.biases == 2 for cell in cells),
        "bidirectional": any(cell.bidirectional for cell in cells),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "rmsprop": isinstance(workload.recipe.optimiser, RMSprop),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
    }


def _module(leaf: Leaf) -> str | None:
    """What a layer owns, or None for a method of tensors."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            return call(
                "nn.Conv2d",
                number(leaf.inputs[0]),
                number(layer.channels),
                kernel_size=size(layer.kernel),
                stride=unless((1, 1), layer.stride, size(layer.stride)),
                padding=_padding(layer.padding),
                groups=unless(1, layer.groups, number(layer.groups)),
                bias=unless(True, layer.bias, "False"),
            )
        case R.Recurrent():
            return recurrent.module(leaf, layer)
        case L.BatchNorm():
            return torch_like.batch_norm("nn.BatchNorm", leaf, layer)
        case L.Dense() | R.Embedding():
            return torch_like.module(leaf)
    return None


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D() | L.Dense() | L.BatchNorm() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case R.Recurrent():
            return recurrent.expression(leaf, layer, x)
        case R.LastStep():
            return f"{_object(x)}[:, -1]"
        case R.FirstLast():
            return f"Tensor.cat({_object(x)}[:, 0], {_object(x)}[:, -1], dim=1)"
        case L.MaxPool2D():
            return _pool(x, "max_pool2d", layer)
        case L.AvgPool2D():
            padded = layer.padding != ((0, 0), (0, 0))
            left_out = "False" if padded and not layer.count_padding else None
            return _pool(x, "avg_pool2d", layer, count_include_pad=left_out)
        case L.Dropout():
            return f"{_object(x)}.dropout({number(layer.rate)})"
        case L.LeakyReLU():
            slope = "" if layer.slope == 0.01 else number(layer.slope)
            return f"{_object(x)}.leaky_relu({slope})"
    return function(METHODS, leaf, _object(x), "tinygrad")


def _object(x: str) -> str:
    """An expression that a method can be called on: a sum needs brackets."""
    return f"({x})" if isinstance(ast.parse(x, mode="eval").body, ast.BinOp) else x


def _pool(x: str, method: str, layer: L.MaxPool2D | L.AvgPool2D, **more: str | None) -> str:
    # `__call__` does not see a block's parameters, so its numbers stand for themselves.
    return call(
        f"{_object(x)}.{method}",
        size(unnamed(layer.kernel)),
        stride=unless(layer.kernel, layer.stride, size(unnamed(layer.stride))),
        padding=_padding(unnamed(layer.padding)),
        **more,
    )


def _padding(padding: object) -> str | None:
    """One number, (height, width), or left, right, top, bottom where sides differ."""
    assert isinstance(padding, tuple)
    if padding == ((0, 0), (0, 0)):
        return None
    if sides := symmetric(padding):
        return size(sides)
    (top, bottom), (left, right) = padding
    return f"({', '.join(map(number, (left, right, top, bottom)))})"
