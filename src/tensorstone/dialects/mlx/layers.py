"""MLX's layers: each one's line in `__init__` and its expression in `__call__`."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.mlx import recurrent
from tensorstone.dialects.mlx.recipe import LOSSES, optimiser
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.classes import Style, classes
from tensorstone.dialects.shared.functions import function
from tensorstone.dialects.shared.torch_like import layers as torch_like
from tensorstone.dialects.shared.writing import call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.named import plain
from tensorstone.models.placed import Leaf, leaves
from tensorstone.models.workload import Workload

FUNCTIONS = {
    "ReLU": "nn.relu({x})",
    "Tanh": "nn.tanh({x})",
    "Sigmoid": "nn.sigmoid({x})",
    "Softsign": "nn.softsign({x})",
    "Softplus": "nn.softplus({x})",
    "GELU": "nn.gelu({x})",
    "SiLU": "nn.silu({x})",
    "Softmax": "nn.softmax({x})",
    "Flatten": "mx.flatten({x}, start_axis=1)",
    "GlobalAvgPool2D": "mx.mean({x}, axis=(1, 2))",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "mx.concatenate([{x}[:, 0], {x}[:, -1]], axis=-1)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: one class for each block, one for the model."""
    style = Style(
        module=_module,
        expression=_expression,
        concat=lambda parts: f"mx.concatenate([{', '.join(parts)}], axis=-1)",
        construction=lambda name, given, owns: f"{name}({given})",
        unpacked=recurrent.unpacked,
    )
    layers = [leaf.layer for leaf in leaves(workload.model.chain)]
    cells = [layer for layer in layers if isinstance(layer, R.Recurrent)]
    return {
        "classes": classes(workload.model, style),
        "own_layers": recurrent.two_bias_layers(cells),
        "one_bias": any(recurrent.has_spare_bias(cell) for cell in cells),
        "bidirectional": any(cell.bidirectional for cell in cells),
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": optimiser(workload.recipe),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "random": any(isinstance(layer, L.Dropout) for layer in layers),
        "maps": len(workload.model.inputs) == 3,
    }


def _module(leaf: Leaf) -> str | None:
    """The module a layer needs, or None for a plain function."""
    layer = leaf.layer
    match layer:
        case L.MaxPool2D():
            return _pool("nn.MaxPool2d", layer)
        case L.AvgPool2D():
            if layer.padding != ((0, 0), (0, 0)) and not layer.count_padding:
                raise Unsupported(f"{leaf.name}: nn.AvgPool2d counts padding in its mean")
            return _pool("nn.AvgPool2d", layer)
        case R.Recurrent():
            return recurrent.module(leaf, layer)
        case L.BatchNorm():
            return torch_like.batch_norm("nn.BatchNorm", leaf, layer)
        case _:
            return torch_like.module(leaf)


def _expression(leaf: Leaf, x: str) -> str:
    """The layer applied to the expression `x`."""
    layer = leaf.layer
    match layer:
        case L.Conv2D() | L.AvgPool2D():
            return f"self.{leaf.name}({_padded(x, layer.padding)})"
        case L.MaxPool2D():
            return f"self.{leaf.name}({_padded(x, layer.padding, fill='-mx.inf')})"
        case L.Dense() | L.BatchNorm() | L.Dropout() | R.Embedding():
            return f"self.{leaf.name}({x})"
        case R.Recurrent():
            return recurrent.expression(leaf, layer, x)
        case L.LeakyReLU():
            if layer.slope > 1:
                raise Unsupported(
                    f"{leaf.name}: nn.leaky_relu is the larger of x and slope · x, "
                    "which is another function for slopes above 1"
                )
            slope = [] if layer.slope == 0.01 else [number(layer.slope)]
            return call("nn.leaky_relu", x, *slope)
    return function(FUNCTIONS, leaf, x, "MLX")


def _pool(kind: str, layer: L.MaxPool2D | L.AvgPool2D) -> str:
    padding = symmetric(layer.padding) or (0, 0)
    return call(
        kind,
        size(layer.kernel),
        stride=unless(layer.kernel, layer.stride, size(layer.stride)),
        padding=unless((0, 0), padding, size(padding)),
    )


def _padded(x: str, padding: object, fill: str | None = None) -> str:
    """What a module cannot pad itself, because two sides that face each other differ."""
    if symmetric(padding) is not None:
        return x
    assert isinstance(padding, tuple)
    # `__call__` does not see a block's parameters, so its numbers stand for themselves.
    sides = [tuple(plain(side) for side in axis) for axis in padding]
    return call("mx.pad", x, repr([(0, 0), *sides, (0, 0)]), constant_values=fill)
