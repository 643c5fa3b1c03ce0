"""OneFlow's words: each layer's line in `__init__` and its expression in `forward`."""

from __future__ import annotations

from tensorstone.dialects.classes import Style, classes
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.oneflow.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.torch_words import average, last_state, maximum, padded, recurrent_layer
from tensorstone.dialects.unrolled import refuse_long
from tensorstone.dialects.writing import call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.recipe import RMSprop
from tensorstone.models.workload import Workload

# In a graph. A proof took 7 minutes for 128 steps, beside other work; one of 1,024 held 9 GiB and
# was not done after 11 minutes of processor time. None between was tried.
MOST_UNROLLED = 512
FUNCTIONS = {
    "ReLU": "F.relu({x})",
    "Tanh": "flow.tanh({x})",
    "Sigmoid": "flow.sigmoid({x})",
    "Softsign": "F.softsign({x})",
    "Softplus": "F.softplus({x})",
    "GELU": "F.gelu({x})",
    "Softmax": "F.softmax({x}, dim=1)",
    "Flatten": "flow.flatten({x}, 1)",
    "GlobalAvgPool2D": "flow.mean({x}, dim=(2, 3))",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "flow.cat([{x}[:, 0], {x}[:, -1]], dim=1)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    style = Style(
        module=_module,
        expression=_expression,
        concat=lambda parts: f"flow.cat([{', '.join(parts)}], dim=1)",
        construction=lambda name, given, owns: f"{name}({given})",
        concat_steps=lambda parts: f"flow.cat([{', '.join(parts)}], dim=2)",
        unpacked=lambda leaf, x, variable: last_state(leaf, x, variable, "flow.cat([{}], dim=1)"),
    )
    if dialect.short == "graph":
        refuse_long(leaves(workload.model.chain), MOST_UNROLLED, "nn.Graph unrolls sequences")
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    return {
        "classes": classes(workload.model, style),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "rmsprop": isinstance(workload.recipe.optimiser, RMSprop),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "one_bias": any(isinstance(x, R.Recurrent) and x.biases == 1 for x in layers),
    }


def _module(leaf: Leaf) -> str | None:
    """The module a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            padding = symmetric(layer.padding) or (0, 0)
            return call(
                "nn.Conv2d",
                number(leaf.inputs[0]),
                number(layer.channels),
                kernel_size=size(layer.kernel),
                stride=unless((1, 1), layer.stride, size(layer.stride)),
                padding=unless((0, 0), padding, size(padding)),
                groups=unless(1, layer.groups, number(layer.groups)),
                bias=unless(True, layer.bias, "False"),
            )
        case L.Dense():
            bias = unless(True, layer.bias, "False")
            return call("nn.Linear", number(leaf.inputs[-1]), number(layer.units), bias=bias)
        case R.Embedding():
            return f"nn.Embedding({number(layer.vocabulary)}, {number(layer.features)})"
        case R.Recurrent():
            return recurrent_layer(leaf, layer)
        case L.BatchNorm():
            kind = "nn.BatchNorm2d" if len(leaf.inputs) == 3 else "nn.BatchNorm1d"
            # OneFlow's momentum is the share of the *new* statistics.
            share = round(1 - layer.momentum, 12)
            return call(
                kind,
                number(leaf.inputs[0]),
                eps=unless(1e-5, layer.epsilon, number(layer.epsilon)),
                momentum=unless(0.1, share, number(share)),
            )
        case L.Dropout():
            return f"nn.Dropout({number(layer.rate)})"
    return None


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D():
            if symmetric(layer.padding) is None:
                return f"self.{leaf.name}({padded(x, layer.padding)})"
            return f"self.{leaf.name}({x})"
        case L.Dense() | L.BatchNorm() | L.Dropout() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case L.MaxPool2D():
            return maximum(layer, x)
        case L.AvgPool2D():
            return average(leaf.name, layer, x)
        case L.LeakyReLU():
            return f"F.leaky_relu({x}, {number(layer.slope)})"
    if layer.kind not in FUNCTIONS:
        raise Unsupported(f"{leaf.name}: OneFlow's room has no word for {layer.kind}")
    return FUNCTIONS[layer.kind].format(x=x)
