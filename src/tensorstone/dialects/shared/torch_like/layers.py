"""Each layer's line in `__init__` and its expression in `forward`."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.dialects.shared.classes import Class, Style, classes
from tensorstone.dialects.shared.functions import function
from tensorstone.dialects.shared.torch_like import recurrent
from tensorstone.dialects.shared.torch_like.pooling import average, maximum, padded
from tensorstone.dialects.shared.writing import Unpacked, call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.model import Model
from tensorstone.models.placed import Leaf

# `{lib}` is what the program calls the framework: torch, flow.
FUNCTIONS = {
    "ReLU": "F.relu({x})",
    "Tanh": "{lib}.tanh({x})",
    "Sigmoid": "{lib}.sigmoid({x})",
    "Softsign": "F.softsign({x})",
    "Softplus": "F.softplus({x})",
    "GELU": "F.gelu({x})",
    "SiLU": "F.silu({x})",
    "Softmax": "F.softmax({x}, dim=1)",
    "Flatten": "{lib}.flatten({x}, 1)",
    "GlobalAvgPool2D": "{lib}.mean({x}, dim=(2, 3))",
    "LastStep": "{x}[:, -1]",
    "FirstLast": "{lib}.cat([{x}[:, 0], {x}[:, -1]], dim=1)",
}


@dataclass(frozen=True)
class TorchLike:
    """A framework that is written as PyTorch is."""

    framework: str
    library: str  # what the program calls it
    default_slope: float | None  # of leaky_relu, where it has a default

    def classes(self, model: Model) -> list[Class]:
        """One class for each block, one for the model."""
        style = Style(
            module=module,
            expression=self._expression,
            concat=lambda parts: self._cat(", ".join(parts), 1),
            construction=lambda name, given, owns: f"{name}({given})",
            concat_steps=lambda parts: self._cat(", ".join(parts), 2),
            unpacked=self._unpacked,
        )
        return classes(model, style)

    def _cat(self, parts: str, dim: int) -> str:
        return f"{self.library}.cat([{parts}], dim={dim})"

    def _unpacked(self, leaf: Leaf, x: str, variable: str) -> Unpacked | None:
        return recurrent.unpacked(leaf, x, variable, self._cat("{}", 1))

    def _expression(self, leaf: Leaf, x: str) -> str:
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
                slope = [] if layer.slope == self.default_slope else [number(layer.slope)]
                return call("F.leaky_relu", x, *slope)
        return function(self._functions, leaf, x, self.framework)

    @property
    def _functions(self) -> dict[str, str]:
        return {kind: text.replace("{lib}", self.library) for kind, text in FUNCTIONS.items()}


def module(leaf: Leaf) -> str | None:
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
            return recurrent.module(leaf, layer)
        case L.BatchNorm():
            kind = "nn.BatchNorm2d" if len(leaf.inputs) == 3 else "nn.BatchNorm1d"
            return batch_norm(kind, leaf, layer)
        case L.Dropout():
            return f"nn.Dropout({number(layer.rate)})"
    return None


def batch_norm(kind: str, leaf: Leaf, layer: L.BatchNorm) -> str:
    """The momentum here is the share of the *new* statistics."""
    share = round(1 - layer.momentum, 12)
    return call(
        kind,
        number(leaf.inputs[0]),
        eps=unless(1e-5, layer.epsilon, number(layer.epsilon)),
        momentum=unless(0.1, share, number(share)),
    )
