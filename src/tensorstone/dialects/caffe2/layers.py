"""Caffe2's layers: a statement for every layer; blocks are functions under a name scope."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tensorstone.dialects.caffe2 import recipe, recurrent
from tensorstone.dialects.caffe2.folding import Caffe2Folding, flattening, in_place
from tensorstone.dialects.caffe2.operators import activation, window
from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.shared.writing import (
    Names,
    Say,
    call,
    definitions,
    number,
    statements,
    unless,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Chain, Leaf, PlacedUse, leaves, uses
from tensorstone.models.recipe import Adam
from tensorstone.models.workload import Workload

FLATTENS = "# FC flattens what it reads."
# Functions a program defines only if it uses them.
HELPERS = ("embedding", "vector_bn", "step", "recurrent", "bidirectional")


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs: a function for each block, and the model's own."""
    return {
        **Caffe2Writer(workload.model.chain).describe(),
        "loss": recipe.loss(workload.recipe),
        "optimiser": recipe.optimiser(workload.recipe),
        "adam": isinstance(workload.recipe.optimiser, Adam),
    }


class Caffe2Writer:
    def __init__(self, chain: Chain) -> None:
        self.chain = Caffe2Folding(chain).chain
        self.flattening = flattening(chain)
        self.in_place = in_place(self.chain)
        self.names: Names = {}
        self.joins: Counter[str] = Counter()
        self.cells = _cells(self.chain)
        self.modal: set[str] = set()  # uses of blocks that are another thing in training
        self.blocks = definitions(self.chain, self.text, self.names, width_wanted=True)

    def describe(self) -> dict[str, object]:
        functions: list[dict[str, Any]] = []
        for block in self.blocks:
            body = self.body(block.use.body)
            modes = ("is_test",) if block.use.path in self.modal else ()
            parameters = ("model", "x", "name", *block.parameters, *modes)
            name = _apart(block.name)
            functions.append({"name": name, "parameters": parameters, "body": body})
        layers = self.remarked(self.body(self.chain))
        said = "\n".join([*layers, *(line for function in functions for line in function["body"])])
        return {
            "functions": functions,
            "layers": layers,
            "modes": _modal(layers),
            "helpers": {word for word in HELPERS if re.search(rf"\b{word}\(", said)},
            "cells": list({cell.name: cell for cell in self.cells.values()}.values()),
        }

    def remarked(self, lines: list[str]) -> list[str]:
        """What a newcomer would stumble over, said above the first line that it is about."""
        for i, line in enumerate(lines):
            if any(f'"{name}", ' in line for name in self.flattening):
                return [*lines[:i], FLATTENS, *lines[i:]]
        return lines

    def text(self, use: PlacedUse) -> str:
        body = self.body(use.body)
        if _modal(body):
            self.modal.add(use.path)
        return "\n".join(body)

    def body(self, chain: Chain) -> list[str]:
        self.joins.clear()
        return statements(
            chain,
            Say(
                layer=self.expression,
                use=self.use,
                concat=lambda parts: self.join("brew.concat", "concat", parts, axis="1"),
                concat_steps=lambda parts: self.join("brew.concat", "concat", parts, axis="2"),
                add=lambda parts: self.join("brew.sum", "sum", parts),
                openers=(L.Layer,),
            ),
        )

    def join(self, function: str, stem: str, parts: list[str], **more: str) -> str:
        """Blobs need names, and a model does not name its joins."""
        self.joins[stem] += 1
        name = f'"{stem}{self.joins[stem]}"'
        return call(function, "model", f"[{', '.join(parts)}]", name, **more)

    def use(self, use: PlacedUse, x: str) -> str:
        definition = self.names[use.path]
        given = use_arguments(use, definition)
        modes = ["is_test"] if use.path in self.modal else []
        name = _apart(definition.name)
        return call(name, "model", x, f'"{use.name}"', *([given] if given else []), *modes)

    def expression(self, leaf: Leaf, x: str) -> str:
        """The layer applied to the blob `x`."""
        layer, name = leaf.layer, f'"{leaf.name}"'
        match layer:
            case L.Conv2D():
                return call(
                    "brew.conv",
                    *("model", x, name, number(leaf.inputs[0]), number(layer.channels)),
                    **window(layer, lists=True),
                    group=unless(1, layer.groups, number(layer.groups)),
                    no_bias=unless(True, layer.bias, "True"),
                )
            case L.Dense():
                return call(
                    "brew.fc",
                    *("model", x, name, number(leaf.inputs[-1]), number(layer.units)),
                    axis="2" if isinstance(layer, R.TimeDistributed) else None,
                    freeze_bias=unless(True, layer.bias, "True"),  # FC always has one: zeros
                )
            case R.Embedding():
                sizes = map(number, (layer.vocabulary, layer.features, leaf.inputs[0]))
                return call("embedding", "model", x, name, *sizes)
            case R.Recurrent():
                return recurrent.applied(leaf, layer, self.cells[_kind(layer)].name, x)
            case L.BatchNorm():
                function = "brew.spatial_bn" if len(leaf.inputs) == 3 else "vector_bn"
                return call(
                    function,
                    *("model", x, name, number(leaf.inputs[0])),
                    momentum=unless(0.9, layer.momentum, number(layer.momentum)),
                    epsilon=unless(1e-5, layer.epsilon, number(layer.epsilon)),
                    is_test="is_test",
                )
            case L.Dropout():
                ratio = number(layer.rate)
                return call("brew.dropout", "model", x, name, ratio=ratio, is_test="is_test")
            case L.MaxPool2D():
                return call("brew.max_pool", "model", x, name, **window(layer))
            case L.AvgPool2D():
                padded = layer.padding != ((0, 0), (0, 0))
                counted = "True" if padded and layer.count_padding else None
                arguments = window(layer)
                return call(
                    "brew.average_pool", "model", x, name, **arguments, count_include_pad=counted
                )
            case L.GlobalAvgPool2D():
                return f"model.net.ReduceBackMean({x}, {name}, num_reduce_dim=2)"
            case L.Flatten():
                return f"model.net.Flatten({x}, {name})"
            case R.LastStep():
                return f"step(model, {x}, {name}, {number(leaf.inputs[0] - 1)})"
            case R.FirstLast():
                last = number(leaf.inputs[0] - 1)
                first = f'step(model, {x}, "{leaf.name}_first", 0)'
                ends = f'[{first}, step(model, {x}, "{leaf.name}_last", {last})]'
                return call("brew.concat", "model", ends, name, axis="1")
        return activation(leaf, x, x if leaf.path in self.in_place else name)


def _apart(block: str) -> str:
    """What a block's function is called."""
    return f"{block}_block" if block in HELPERS else block


def _modal(lines: list[str]) -> bool:
    """Whether what they build is another thing in training."""
    return any("is_test" in line for line in lines)


def _kind(layer: R.Recurrent) -> tuple[object, ...]:
    return layer.kind, layer.biases, getattr(layer, "reset_after", None)


def _cells(chain: Chain) -> dict[tuple[object, ...], recurrent.CellFunction]:
    """The functions for the recurrent layers there are."""
    taken = {use.block for use in uses(chain)}
    return {
        _kind(leaf.layer): recurrent.cell(leaf.layer, taken)
        for leaf in leaves(chain)
        if isinstance(leaf.layer, R.Recurrent)
    }
