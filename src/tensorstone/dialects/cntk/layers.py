"""CNTK's layers: functions of one argument, or expressions of their input."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.cntk import recipe, recurrent
from tensorstone.dialects.cntk.folding import HELPERS, CntkFolding, function
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.functions import helpers, no_way
from tensorstone.dialects.shared.writing import (
    Names,
    Say,
    Unpacked,
    call,
    definitions,
    number,
    size,
    statements,
    unless,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Leaf, PlacedUse, leaves
from tensorstone.models.workload import Workload

Window = L.Conv2D | L.MaxPool2D | L.AvgPool2D


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: a Sequential where the model is a chain of functions."""
    model, writer = workload.model, CntkWriter(CntkFolding(workload.model.chain))
    layers = [leaf.layer for leaf in leaves(model.chain)]
    network = {
        "blocks": [
            {"name": one.name, "parameters": ["x", *one.parameters], "body": writer.body(one.use)}
            for one in writer.blocks
        ],
        "sequential": writer.sequential(),
        "body": writer.body_of_network(),
    }
    return {
        **network,
        "helpers": helpers(HELPERS, str(network)),
        "inputs": recipe.variable(model.inputs, bool(model.vocabulary)),
        "targets": recipe.targets(workload),
        "loss": recipe.loss(workload),
        "optimiser": recipe.optimiser(workload.recipe),
        "decay": getattr(workload.recipe.optimiser, "decay", 0.0),
        "embeds": any(isinstance(layer, R.Embedding) for layer in layers),
    }


class CntkWriter:
    def __init__(self, folded: CntkFolding) -> None:
        self.folded = folded
        self.names: Names = {}
        self.blocks = definitions(
            folded.chain, lambda use: "\n".join(self.body(use)), self.names, width_wanted=True
        )

    def sequential(self) -> list[str]:
        """The entries of a Sequential; none where a layer is no function of one argument."""
        entries: list[str] = []
        for part in self.folded.chain.parts:
            found = self.functions(part) if isinstance(part, Leaf) else None
            if found is None:
                return []
            entries += found if len(found) == 1 else [f"({', '.join(found)})", "C.splice"]
        return entries

    def body(self, use: PlacedUse) -> list[str]:
        return statements(use.body, self.say())

    def body_of_network(self) -> list[str]:
        return statements(self.folded.chain, self.say())

    def say(self) -> Say:
        return Say(
            layer=self.expression,
            use=self.use,
            concat=lambda parts: f"C.splice({', '.join(parts)}, axis=0)",
            unpacked=self.unpacked,
            openers=(L.Layer,),
        )

    def use(self, use: PlacedUse, x: str) -> str:
        definition = self.names[use.path]
        given = use_arguments(use, definition)
        return call(definition.name, x, *([given] if given else []))

    def unpacked(self, leaf: Leaf, x: str, variable: str) -> Unpacked | None:
        """Padding that the layer does not do by itself is a statement of its own."""
        layer = leaf.layer
        if not isinstance(layer, Window) or _own_padding(layer) is not None:
            return None
        padded = f"{variable} = {_padded(leaf, layer, x)}"
        return [padded], f"{self.window(leaf, layer)}({variable})"

    def expression(self, leaf: Leaf, x: str) -> str:
        """The layer applied to the expression `x`."""
        found = self.functions(leaf)
        if found is not None:
            applied = [f"{one}({x})" for one in found]
            return applied[0] if len(applied) == 1 else f"C.splice({', '.join(applied)})"
        match leaf.layer:
            case L.LeakyReLU(slope=slope):
                return f"C.leaky_relu({x}, {number(slope)})"
            case L.Softmax():
                return f"C.softmax({x}, axis=0)"
            case L.GlobalAvgPool2D():
                return f"C.reduce_mean({x}, (1, 2), keepdims=False)"
            case L.Flatten():
                if len(leaf.inputs) == 2:
                    raise Unsupported(
                        f"{leaf.name}: CNTK's sequences are of any length and cannot be flattened"
                    )
                return f"C.reshape({x}, ({number(leaf.outputs[0])},))"
            case L.GELU():
                raise Unsupported(f"{leaf.name}: CNTK has no error function, which GELU needs")
        raise no_way(leaf, "CNTK")

    def functions(self, leaf: Leaf) -> list[str] | None:
        """The layer as functions of what it reads, their results spliced; None if it is none."""
        layer = leaf.layer
        match layer:
            case L.Conv2D() | L.MaxPool2D() | L.AvgPool2D():
                return [self.window(leaf, layer)] if _own_padding(layer) is not None else None
            case L.Dense():
                return [
                    call(
                        "C.layers.Dense",
                        number(layer.units),
                        activation=self.folded.activations.get(leaf.path),
                        bias=unless(True, layer.bias, "False"),
                    )
                ]
            case L.BatchNorm():
                raise Unsupported(
                    f"{leaf.name}: CNTK's running averages forget by the sample, not by the batch: "
                    "their momentum changes with the batch's size"
                )
            case L.Dropout():
                return [f"C.layers.Dropout({number(layer.rate)})"]
            case L.GlobalAvgPool2D() if leaf.path in self.folded.read_by_dense:
                return ["C.layers.GlobalAveragePooling()"]
            case R.Embedding():
                recurrent.check_tokens(leaf, layer)
                return [f"embedding({number(layer.vocabulary)}, {number(layer.features)})"]
            case R.Recurrent():
                return recurrent.expressions(leaf, layer)
            case R.LastStep():
                return ["C.sequence.last"]
            case R.FirstLast():
                return ["C.sequence.first", "C.sequence.last"]
        word = function(leaf)
        return None if word is None else [word]

    def window(self, leaf: Leaf, layer: Window) -> str:
        """A convolution or a pool; stride 1 by default."""
        given = {
            "strides": unless((1, 1), layer.stride, size(layer.stride)),
            "pad": _own_padding(layer) or None,
        }
        if not isinstance(layer, L.Conv2D):
            kind = "MaxPooling" if isinstance(layer, L.MaxPool2D) else "AveragePooling"
            return call(f"C.layers.{kind}", _pair(layer.kernel), **given)
        if layer.groups != 1:
            raise Unsupported(messages.no_groups(leaf.name, "CNTK's Convolution2D has"))
        return call(
            "C.layers.Convolution2D",
            _pair(layer.kernel),
            number(layer.channels),
            activation=self.folded.activations.get(leaf.path),
            **given,
            bias=unless(True, layer.bias, "False"),
        )


def _own_padding(layer: Window) -> str | None:
    """How padding is said that the layer does by itself, "" for none; None where it cannot.

    `pad=True` puts the middle of the kernel on every value: for an odd kernel that is half of it
    on each side, and a mean leaves it out.
    """
    if layer.padding == ((0, 0), (0, 0)):
        return ""
    if isinstance(layer, L.AvgPool2D) and layer.count_padding:
        return None
    said = []
    for sides, kernel in zip(layer.padding, layer.kernel, strict=True):  # type: ignore[arg-type]
        if sides != (0, 0) and sides != ((kernel - 1) / 2, (kernel - 1) / 2):
            return None
        said.append(str(sides != (0, 0)))
    return said[0] if said[0] == said[1] else f"({', '.join(said)})"


def _padded(leaf: Leaf, layer: Window, x: str) -> str:
    if isinstance(layer, L.AvgPool2D) and not layer.count_padding:
        raise Unsupported(
            f"{leaf.name}: AveragePooling can leave padding out of the mean only when it is half "
            "the kernel on both sides"
        )
    rows, columns = map(_pair, layer.padding)  # type: ignore[arg-type]
    lowest = "-np.inf" if isinstance(layer, L.MaxPool2D) else None
    return call("C.pad", x, f"[(0, 0), {rows}, {columns}]", constant_value=lowest)


def _pair(pair: object) -> str:
    assert isinstance(pair, tuple)
    return f"({', '.join(map(number, pair))})"
