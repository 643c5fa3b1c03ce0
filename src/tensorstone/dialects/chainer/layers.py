"""Chainer's layers: each layer's link in `init_scope` and its expression in `forward`."""

from __future__ import annotations

from tensorstone.dialects.chainer import pooling, recurrent
from tensorstone.dialects.chainer.folding import ChainerFolding, fold
from tensorstone.dialects.chainer.ideep import in_numpy
from tensorstone.dialects.chainer.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.functions import function, helpers
from tensorstone.dialects.shared.writing import Unpacked, call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.workload import Workload

FUNCTIONS = {
    "ReLU": "F.relu({x})",
    "Tanh": "F.tanh({x})",
    "Sigmoid": "F.sigmoid({x})",
    "Softsign": "softsign({x})",
    "Softplus": "F.softplus({x})",
    "GELU": "gelu({x})",
    "SiLU": "silu({x})",
    "Softmax": "F.softmax({x})",
    "GlobalAvgPool2D": "F.mean({x}, axis=(2, 3))",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "F.concat(({x}[:, 0], {x}[:, -1]))",
}

# What Chainer has no function for.
HELPERS = {
    "softsign": "def softsign(x):\n    return x / (1 + abs(x))",
    "gelu": "def gelu(x):\n    return x * F.ndtr(x)",
    "silu": "def silu(x):\n    return x * F.sigmoid(x)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    chain = workload.model.chain
    folded = fold(chain)
    style = Style(
        module=_link,
        expression=_expression_in_ideep if dialect.short == "ideep" else _expression,
        concat=lambda parts: f"F.concat(({', '.join(parts)}))",
        construction=lambda name, given, owns: f"{name}({given})",
        concat_steps=lambda parts: f"F.concat(({', '.join(parts)}), axis=2)",
        unpacked=lambda leaf, x, variable: (
            _flattening(leaf, x, folded) or recurrent.unpacked(leaf, x, variable, folded)
        ),
    )
    written = classes(workload.model, style)
    return {
        "classes": written,
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "helpers": helpers(HELPERS, str(written)),
        "one_step": any(map(recurrent.takes_one_step, leaves(chain))),
    }


def _flattening(leaf: Leaf, x: str, folded: ChainerFolding) -> Unpacked | None:
    """A Flatten before a Linear is nothing, and the Linear says that it flattens."""
    if leaf.path in folded.flattened:
        return [], x
    if leaf.path in folded.flattening:
        return ["# Linear flattens what it reads."], f"self.{leaf.name}({x})"
    return None


def _link(leaf: Leaf) -> str | None:
    """The link a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            padding = symmetric(layer.padding) or (0, 0)
            return call(
                "L.Convolution2D",
                "None",
                number(layer.channels),
                ksize=size(layer.kernel),
                stride=unless((1, 1), layer.stride, size(layer.stride)),
                pad=unless((0, 0), padding, size(padding)),
                nobias=unless(True, layer.bias, "True"),
                groups=unless(1, layer.groups, number(layer.groups)),
            )
        case L.Dense():
            return call(
                "L.Linear", "None", number(layer.units), nobias=unless(True, layer.bias, "True")
            )
        case R.Embedding():
            return f"L.EmbedID({number(layer.vocabulary)}, {number(layer.features)})"
        case R.Recurrent():
            return recurrent.link(leaf, layer)
        case L.BatchNorm():
            return call(
                "L.BatchNormalization",
                number(leaf.inputs[0]),
                decay=unless(0.9, layer.momentum, number(layer.momentum)),
                eps=unless(2e-5, layer.epsilon, number(layer.epsilon)),
            )
    return None


def _expression_in_ideep(leaf: Leaf, x: str) -> str:
    return in_numpy(leaf, x) or _expression(leaf, x)


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            if symmetric(layer.padding) is None:
                return f"self.{leaf.name}({pooling.padded(x, layer.padding)})"
            return f"self.{leaf.name}({x})"
        case R.TimeDistributed():
            return f"self.{leaf.name}({x}, n_batch_axes=2)"
        case L.Dense() | L.BatchNorm() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case L.MaxPool2D():
            return pooling.maximum(leaf, layer, x)
        case L.AvgPool2D():
            return pooling.average(leaf, layer, x)
        case L.Dropout():
            return call("F.dropout", x, ratio=unless(0.5, layer.rate, number(layer.rate)))
        case L.LeakyReLU():
            return call("F.leaky_relu", x, slope=unless(0.2, layer.slope, number(layer.slope)))
        case L.Flatten():
            return f"F.reshape({x}, (len({x}), -1))"
    return function(FUNCTIONS, leaf, x, "Chainer")
