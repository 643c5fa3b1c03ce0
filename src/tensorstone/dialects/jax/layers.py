"""Flax NNX's layers: each one's line in `__init__` and its expression in `__call__`."""

from __future__ import annotations

from tensorstone.dialects.jax import recurrent
from tensorstone.dialects.jax.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.functions import function, unnamed
from tensorstone.dialects.shared.writing import call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.workload import Workload

FUNCTIONS = {
    "ReLU": "nnx.relu({x})",
    "Tanh": "nnx.tanh({x})",
    "Sigmoid": "nnx.sigmoid({x})",
    "Softsign": "nnx.soft_sign({x})",
    "Softplus": "nnx.softplus({x})",
    "GELU": "nnx.gelu({x}, approximate=False)",
    "SiLU": "nnx.silu({x})",
    "Softmax": "nnx.softmax({x})",
    "Flatten": "{x}.reshape({x}.shape[0], -1)",
    "GlobalAvgPool2D": "jnp.mean({x}, axis=(1, 2))",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "jnp.concatenate([{x}[:, 0], {x}[:, -1]], axis=-1)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    style = Style(
        module=_module,
        expression=_expression,
        concat=lambda parts: f"jnp.concatenate([{', '.join(parts)}], axis=-1)",
        construction=_construction,
        unpacked=recurrent.unpacked,
    )
    written = classes(workload.model, style)
    loss = LOSSES[workload.recipe.loss]
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    return {
        "classes": written,
        "cells": recurrent.own_cells(layers),
        "loss": loss,
        "optimiser": optimiser(workload.recipe),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "jnp": "jnp." in f"{written} {loss}",
        "modes": any(isinstance(layer, L.Dropout | L.BatchNorm) for layer in layers),
        "statistics": any(isinstance(layer, L.BatchNorm) for layer in layers),
        "maps": len(workload.model.inputs) == 3,
        "keeps_size": any(_keeps_size(layer) for layer in layers if isinstance(layer, L.Conv2D)),
    }


def _construction(name: str, given: str, owns: bool) -> str:
    # A block of functions alone has nothing to initialise.
    return call(name, *([given] if given else []), rngs="rngs" if owns else None)


def _module(leaf: Leaf) -> str | None:
    """The module a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            return call(
                "nnx.Conv",
                number(leaf.inputs[0]),
                number(layer.channels),
                _pair(layer.kernel),
                strides=unless((1, 1), layer.stride, size(layer.stride)),
                padding=_convolution_padding(layer),
                feature_group_count=unless(1, layer.groups, number(layer.groups)),
                use_bias=unless(True, layer.bias, "False"),
                rngs="rngs",
            )
        case L.Dense():
            bias = unless(True, layer.bias, "False")
            inputs, units = number(leaf.inputs[-1]), number(layer.units)
            return call("nnx.Linear", inputs, units, use_bias=bias, rngs="rngs")
        case R.Embedding():
            rows, features = number(layer.vocabulary), number(layer.features)
            return f"nnx.Embed({rows}, {features}, rngs=rngs)"
        case R.Recurrent():
            return recurrent.module(leaf, layer)
        case L.BatchNorm():
            return call(
                "nnx.BatchNorm",
                number(leaf.inputs[0]),
                momentum=unless(0.99, layer.momentum, number(layer.momentum)),
                epsilon=unless(1e-5, layer.epsilon, number(layer.epsilon)),
                rngs="rngs",
            )
        case L.Dropout():
            return f"nnx.Dropout({number(layer.rate)}, rngs=rngs)"
    return None


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D() | L.Dense() | L.BatchNorm() | L.Dropout() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case R.Recurrent():
            return recurrent.expression(leaf, layer, x)
        case L.MaxPool2D():
            return _pool("nnx.max_pool", layer, x)
        case L.AvgPool2D():
            padded = layer.padding != ((0, 0), (0, 0))
            left_out = "False" if padded and not layer.count_padding else None
            return _pool("nnx.avg_pool", layer, x, count_include_pad=left_out)
        case L.LeakyReLU():
            return call(
                "nnx.leaky_relu", x, *([] if layer.slope == 0.01 else [number(layer.slope)])
            )
    return function(FUNCTIONS, leaf, x, "JAX")


def _pool(function: str, layer: L.MaxPool2D | L.AvgPool2D, x: str, **more: str | None) -> str:
    # `__call__` does not see a block's parameters, so its numbers stand for themselves.
    stride, padding = unnamed(layer.stride), unnamed(layer.padding)
    return call(
        function,
        x,
        repr(unnamed(layer.kernel)),
        strides=unless((1, 1), stride, repr(stride)),
        padding=unless(((0, 0), (0, 0)), padding, repr(padding)),
        **more,
    )


def _convolution_padding(layer: L.Conv2D) -> str | None:
    """None where the default, "SAME", says it."""
    if _keeps_size(layer):
        return None
    if layer.padding == ((0, 0), (0, 0)):
        return '"VALID"'
    if (padding := symmetric(layer.padding)) is not None:
        return size(padding)
    assert isinstance(layer.padding, tuple)
    return f"({', '.join(_pair(sides) for sides in layer.padding)})"


def _keeps_size(layer: L.Conv2D) -> bool:
    """Whether "SAME" pads like this layer whatever the size of its input."""
    assert isinstance(layer.kernel, tuple)
    same = tuple(((k - 1) // 2, k - 1 - (k - 1) // 2) for k in layer.kernel)
    return layer.stride == (1, 1) and layer.padding == same


def _pair(pair: object) -> str:
    assert isinstance(pair, tuple)
    return f"({', '.join(number(n) for n in pair)})"
