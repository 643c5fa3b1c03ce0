"""Lasagne's layers: one statement for every layer; blocks are functions of a layer."""

from __future__ import annotations

import re

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.lasagne import recurrent
from tensorstone.dialects.lasagne.folding import LasagneFolding, nonlinearity
from tensorstone.dialects.lasagne.recipe import LOSSES, TENSORS, optimiser
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
    symmetric,
    unless,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Chain, Leaf, PlacedUse
from tensorstone.models.workload import Workload

RECTIFIED = "# {} layers apply a rectifier by default."
FLATTENS = "# A dense layer flattens what it reads."
OWN_LAYER = "BatchNormLayer"  # defined by the program: Lasagne 0.1 has none

# Nonlinearities that neither Lasagne nor Theano has.
HELPERS = {
    "gelu": "def gelu(x):\n    return 0.5 * x * (1 + T.erf(x / 2**0.5))",
    "silu": "def silu(x):\n    return x * T.nnet.sigmoid(x)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs."""
    recipe, folded = workload.recipe, LasagneFolding(workload.model.chain, workload.recipe.loss)
    writer = LasagneWriter(folded)
    blocks = [
        {
            "name": block.name,
            "parameters": ["net", *block.parameters],
            "body": writer.body(block.use),
        }
        for block in writer.blocks
    ]
    body = writer.statements(folded.chain)
    text = f"{blocks} {body}"
    targets = "lvector" if workload.classifies else TENSORS[1 + len(workload.model.outputs)]
    return {
        "blocks": blocks,
        "body": body,
        "remarks": _remarks(folded, text),
        "layers": sorted({"InputLayer", *re.findall(r"\b\w+Layer\b", text)} - {OWN_LAYER}),
        "nonlinearities": _nonlinearities(text),
        "helpers": helpers(HELPERS, text),
        "normalises": OWN_LAYER in text,
        "loss": LOSSES[recipe.loss],
        "optimiser": optimiser(recipe),
        "decay": getattr(recipe.optimiser, "decay", 0.0),
        "targets": targets,
    }


def _remarks(folded: LasagneFolding, text: str) -> list[str]:
    """What a newcomer would stumble over."""
    kinds = {"Conv2DLayer": "convolutional", "DenseLayer": "dense"}
    found = " and ".join(word for kind, word in kinds.items() if kind in text).capitalize()
    return [RECTIFIED.format(found)] * bool(found) + [FLATTENS] * folded.flattening


def _nonlinearities(text: str) -> list[str]:
    """Those Lasagne has that the network names, in the order an import has them."""
    known = "LeakyRectify|leaky_rectify|rectify|tanh|sigmoid|softmax"
    return sorted(set(re.findall(rf"(?<![\w.])(?:{known})\b", text)))


class LasagneWriter:
    def __init__(self, folded: LasagneFolding) -> None:
        self.folded = folded
        self.names: Names = {}
        self.blocks = definitions(
            folded.chain, lambda use: "\n".join(self.body(use)), self.names, width_wanted=True
        )

    def body(self, use: PlacedUse) -> list[str]:
        return self.statements(use.body)

    def statements(self, chain: Chain) -> list[str]:
        say = Say(
            layer=self.expression,
            use=self.use,
            concat=lambda parts: f"ConcatLayer([{', '.join(parts)}])",
            add=lambda parts: f"ElemwiseSumLayer([{', '.join(parts)}])",
            concat_steps=lambda parts: f"ConcatLayer([{', '.join(parts)}], axis=2)",
            unpacked=self.unpacked,
            openers=(L.Layer,),
        )
        return statements(chain, say, "net")

    def use(self, use: PlacedUse, x: str) -> str:
        definition = self.names[use.path]
        given = use_arguments(use, definition)
        return call(definition.name, x, *([given] if given else []))

    def unpacked(self, leaf: Leaf, x: str, variable: str) -> Unpacked | None:
        layer = leaf.layer
        match layer:
            case R.Recurrent():
                return recurrent.unpacked(leaf, layer, x, variable)
            case R.TimeDistributed():
                made = self.expression(leaf, variable)
                return recurrent.every_step(leaf, layer, made, x, variable)
            case L.Conv2D() | L.MaxPool2D() | L.AvgPool2D() if symmetric(layer.padding) is None:
                return [f"{variable} = {_padded(leaf, x)}"], self.expression(leaf, variable)
        return None

    def expression(self, leaf: Leaf, x: str) -> str:
        """The layer on top of the layer `x`."""
        layer = leaf.layer
        match layer:
            case L.Conv2D():
                return self.convolution(leaf, layer, x)
            case L.Dense():
                return call(
                    "DenseLayer",
                    x,
                    number(layer.units),
                    b=unless(True, layer.bias, "None"),
                    nonlinearity=self.end(leaf),
                )
            case L.MaxPool2D():
                return _pool("MaxPool2DLayer", layer, x)
            case L.AvgPool2D():
                _check_mean(leaf, layer)
                mode = '"average_inc_pad"' if layer.count_padding else '"average_exc_pad"'
                return _pool("Pool2DLayer", layer, x, mode=mode)
            case L.BatchNorm():
                epsilon = unless(1e-5, layer.epsilon, number(layer.epsilon))
                momentum = unless(0.9, layer.momentum, number(layer.momentum))
                return call(OWN_LAYER, x, momentum=momentum, epsilon=epsilon)
            case L.Dropout():
                return call("DropoutLayer", x, p=unless(0.5, layer.rate, number(layer.rate)))
            case L.GlobalAvgPool2D():
                return f"GlobalPoolLayer({x})"
            case L.Flatten():
                return f"FlattenLayer({x})"
            case R.Embedding():
                return f"EmbeddingLayer({x}, {number(layer.vocabulary)}, {number(layer.features)})"
            case R.LastStep():
                return recurrent.last_step(x)
            case R.FirstLast():
                return f"ConcatLayer([{recurrent.first_step(x)}, {recurrent.last_step(x)}])"
        if word := nonlinearity(leaf):
            return call("NonlinearityLayer", x, *([] if word == "rectify" else [word]))
        raise no_way(leaf, "Lasagne")

    def convolution(self, leaf: Leaf, layer: L.Conv2D, x: str) -> str:
        if layer.groups != 1:
            raise Unsupported(messages.no_groups(leaf.name, "Lasagne's Conv2DLayer has"))
        padding = symmetric(layer.padding) or (0, 0)
        return call(
            "Conv2DLayer",
            x,
            number(layer.channels),
            size(layer.kernel),
            stride=unless((1, 1), layer.stride, size(layer.stride)),
            pad=unless((0, 0), padding, size(padding)),
            b=unless(True, layer.bias, "None"),
            nonlinearity=self.end(leaf),
        )

    def end(self, leaf: Leaf) -> str | None:
        """The nonlinearity as it is said: nothing for the rectifier, None for none."""
        word = self.folded.activations.get(leaf.path, "None")
        return unless("rectify", word, word)


def _pool(kind: str, layer: L.MaxPool2D | L.AvgPool2D, x: str, **more: str) -> str:
    padding = symmetric(layer.padding) or (0, 0)
    return call(
        kind,
        x,
        size(layer.kernel),
        stride=unless(layer.kernel, layer.stride, size(layer.stride)),
        pad=unless((0, 0), padding, size(padding)),
        **more,
    )


def _padded(leaf: Leaf, x: str) -> str:
    """The layer's sides differ, and Lasagne's layers take one number for both."""
    layer = leaf.layer
    assert isinstance(layer, L.Conv2D | L.MaxPool2D | L.AvgPool2D)
    rows, columns = (f"({number(first)}, {number(last)})" for first, last in layer.padding)  # type: ignore[misc, union-attr]
    lowest = "-np.inf" if isinstance(layer, L.MaxPool2D) else None
    return call("PadLayer", x, f"({rows}, {columns})", val=lowest)


def _check_mean(leaf: Leaf, layer: L.AvgPool2D) -> None:
    if layer.padding != ((0, 0), (0, 0)) and not layer.count_padding:
        raise Unsupported(f"{leaf.name}: Theano has no gradient of a mean that leaves padding out")
