"""Gluon's layers: blocks, and the forward pass of a model that is no plain chain."""

from __future__ import annotations

from tensorstone.dialects.mxnet import recurrent
from tensorstone.dialects.mxnet.folding import ACT_TYPES, MXNetFolding
from tensorstone.dialects.mxnet.operators import (
    check_tokens,
    leaves_padding_out,
    operator,
    own_padding,
    readable,
)
from tensorstone.dialects.shared.writing import (
    Names,
    Say,
    Unpacked,
    call,
    camel,
    definitions,
    number,
    size,
    statements,
    symmetric,
    unless,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.model import Model
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse, leaves

FLATTENS = "# Dense flattens what it reads."


def describe(model: Model, space: str) -> dict[str, object]:
    """Classes for the blocks, and the model as a Sequential where it is a plain chain."""
    return GluonWriter(model, space).describe()


class GluonWriter:
    """One program being written; `space` is where its operators live: `F` or `mx.nd`."""

    def __init__(self, model: Model, space: str) -> None:
        self.model = model
        self.space = space
        self.folded = MXNetFolding(model.chain, activated=True)
        self.names: Names = {}
        self.blocks = definitions(
            self.folded.chain, lambda use: self.text(use.body), self.names, width_wanted=False
        )

    def describe(self) -> dict[str, object]:
        chain = self.folded.chain
        classes = [self.block(camel(b.name), b.parameters, b.use.body) for b in self.blocks]
        sequence = None
        if all(map(self.stands_alone, chain.parts)):
            sequence = [self.entry(part) for part in chain.parts]
        else:
            classes.append(self.block(self.model.name, (), chain))
        layers = [leaf.layer for leaf in leaves(chain)]
        one_bias = any(isinstance(layer, R.Recurrent) and layer.biases == 1 for layer in layers)
        return {"classes": classes, "sequence": sequence, "one_bias": one_bias}

    def block(self, name: str, parameters: tuple[str, ...], chain: Chain) -> dict[str, object]:
        return {
            "name": name,
            "parameters": ["self", *parameters],
            "members": self.members(chain),
            "forward": statements(chain, self.say()),
        }

    def text(self, chain: Chain) -> str:
        """A body as text without remarks, to see whether two uses of a block read the same."""
        members = [line for line in self.members(chain) if line != FLATTENS]
        return "\n".join([*members, *statements(chain, self.say())])

    def say(self) -> Say:
        return Say(
            layer=self.expression,
            use=lambda use, x: f"self.{use.name}({x})",
            concat=lambda parts: f"{self.space}.concat({', '.join(parts)})",
            concat_steps=lambda parts: f"{self.space}.concat({', '.join(parts)}, dim=2)",
            unpacked=self.unpacked,
        )

    def unpacked(self, leaf: Leaf, x: str, variable: str) -> Unpacked | None:
        layer = leaf.layer
        if not isinstance(layer, R.Recurrent) or layer.sequence:
            return None
        # Plain numbers: a block's parameters are not in reach of its forward pass.
        units, run = str(int(layer.units)), self.expression(leaf, x)
        return recurrent.last_output(self.space, layer, run, units, variable)

    def members(self, chain: Chain) -> list[str]:
        """The blocks a class owns, in the order the model has them."""
        lines: list[str] = []
        for part in chain.parts:
            match part:
                case Leaf() if word := self.layer(part):
                    lines += [*self.comment(part), f"self.{part.name} = {word}"]
                case PlacedFork():
                    lines += [line for path in part.chains for line in self.members(path)]
                case PlacedUse():
                    lines.append(f"self.{part.name} = {self.construction(part)}")
        return lines

    def entry(self, part: Placed) -> str:
        """A part of a Sequential, with its comment above it."""
        if isinstance(part, PlacedUse):
            return self.construction(part)
        assert isinstance(part, Leaf)
        return "\n".join([*self.comment(part), self.layer(part) or _function(part) or ""])

    def comment(self, leaf: Leaf) -> list[str]:
        """Said once, where a Dense layer first reads a map."""
        return [FLATTENS] if leaf.path == next(iter(self.folded.flattening), "") else []

    def stands_alone(self, part: Placed) -> bool:
        """Whether Gluon has a block for it, so that a Sequential can hold it."""
        if not isinstance(part, Leaf):
            return isinstance(part, PlacedUse)
        padding = getattr(part.layer, "padding", None)
        if padding is not None and symmetric(padding) is None:
            return False
        if isinstance(part.layer, R.Recurrent) and not part.layer.sequence:
            return False
        return bool(self.layer(part) or _function(part))

    def construction(self, use: PlacedUse) -> str:
        definition = self.names[use.path]
        return f"{camel(definition.name)}({use_arguments(use, definition)})"

    def expression(self, leaf: Leaf, x: str) -> str:
        """The layer applied to the expression `x`."""
        if self.layer(leaf):
            return f"self.{leaf.name}({readable(self.space, leaf, x)})"
        return operator(self.space, leaf, x)

    def layer(self, leaf: Leaf) -> str | None:
        """The block a layer needs, or None for a plain operator."""
        layer = leaf.layer
        activation = self.folded.activations.get(leaf.path)
        match layer:
            case L.Conv2D():
                return call(
                    "nn.Conv2D",
                    number(layer.channels),
                    kernel_size=size(layer.kernel),
                    strides=unless((1, 1), layer.stride, size(layer.stride)),
                    padding=unless((0, 0), own_padding(layer), size(own_padding(layer))),
                    groups=unless(1, layer.groups, number(layer.groups)),
                    use_bias=unless(True, layer.bias, "False"),
                    activation=activation and f'"{activation}"',
                )
            case L.Dense():
                return call(
                    "nn.Dense",
                    number(layer.units),
                    flatten="False" if isinstance(layer, R.TimeDistributed) else None,
                    use_bias=unless(True, layer.bias, "False"),
                    activation=activation and f'"{activation}"',
                )
            case R.Embedding():
                check_tokens(leaf, layer)
                return f"nn.Embedding({number(layer.vocabulary)}, {number(layer.features)})"
            case R.Recurrent():
                return recurrent.block(leaf, layer)
            case L.BatchNorm():
                return call(
                    "nn.BatchNorm",
                    momentum=unless(0.9, layer.momentum, number(layer.momentum)),
                    epsilon=unless(1e-5, layer.epsilon, number(layer.epsilon)),
                )
            case L.Dropout():
                return f"nn.Dropout({number(layer.rate)})"
            case L.MaxPool2D() | L.AvgPool2D():
                return call(
                    f"nn.{layer.kind}",
                    pool_size=size(layer.kernel),
                    strides=unless(layer.kernel, layer.stride, size(layer.stride)),
                    padding=unless((0, 0), own_padding(layer), size(own_padding(layer))),
                    count_include_pad="False" if leaves_padding_out(layer) else None,
                )
            case L.GlobalAvgPool2D():
                return "nn.GlobalAvgPool2D()"
            case L.SiLU():
                return "nn.Swish()"
        return None


def _function(leaf: Leaf) -> str | None:
    """The block for a plain operator, where Gluon has one."""
    layer = leaf.layer
    if layer.kind in ACT_TYPES:
        return f'nn.Activation("{ACT_TYPES[layer.kind]}")'
    match layer:
        case L.LeakyReLU():
            return f"nn.LeakyReLU({number(layer.slope)})"
        case L.GELU():
            return "nn.GELU()"
        case L.Flatten():
            return "nn.Flatten()"
    return None
