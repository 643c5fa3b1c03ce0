"""One way of computing a workload: the right one, or one with a known deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.graph import Graph, Node
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays, Case

# Which samples make up each batch, in the order the batches are trained on.
Feeding = Literal["in-order", "reversed", "remainder-kept", "remainder-padded"]


@dataclass(frozen=True)
class View:
    """What a dialect lets us see, from its registry entry."""

    losses: Literal["batch", "call"] = "batch"
    outputs: Literal["logits", "probabilities"] = "logits"


@dataclass(frozen=True)
class Added:
    """A weight the model has not."""

    name: str
    shape: tuple[int, ...]
    start: float  # of all its numbers
    part_of: str | None = None  # the model's weight that is read as the sum of both


@dataclass(frozen=True)
class Variant:
    """What is computed in training and in prediction; the defaults are the truth."""

    case: Case
    predicting: Graph | None = None  # prediction's graph where it is not the one trained
    batch_statistics: bool = False  # prediction normalises with the batch's own statistics
    prediction_moves: bool = False  # and moves the running ones, as training does
    feeding: Feeding = "in-order"
    forgets: bool = False  # what the optimiser remembers is lost between two calls of training
    decay: float = 0.0  # times w, added to every gradient
    decoupled_decay: float = 0.0  # times rate · w, taken from every weight beside the update
    loss_scale: float = 1.0  # of the loss, and so of every gradient
    gradient_scale: float = 1.0  # of what reaches any optimiser, the loss left as it is
    optimiser_scale: float = 1.0  # of what the recipe's own optimiser makes of a gradient first
    added: tuple[Added, ...] = ()

    @property
    def prediction(self) -> Graph:
        return self.predicting or self.case.graph

    def begun(self, weights: Arrays) -> Arrays:
        """All weights at the start of a run, of the model's as they are given."""
        return {**{a.name: np.full(a.shape, a.start, np.float32) for a in self.added}, **weights}

    def read(self, weights: Arrays) -> Arrays:
        """The model's weights, of all there are."""
        found = dict(weights)
        for added in self.added:
            array = found.pop(added.name)
            if added.part_of:
                found[added.part_of] = found[added.part_of] + array
        return found

    def batches(self, samples: int) -> list[np.ndarray]:
        """The samples of each batch of one call, as positions in what the call is given."""
        size = self.case.batch
        whole = [np.arange(i, i + size) for i in range(0, samples - size + 1, size)]
        rest = np.arange(len(whole) * size, samples)
        if self.feeding == "reversed":
            return whole[::-1]
        if self.feeding == "remainder-kept" and len(rest):
            return [*whole, rest]
        if self.feeding == "remainder-padded" and len(rest):
            return [*whole, np.concatenate([rest, np.arange(size - len(rest))])]
        return whole


def truth(workload: Workload, batch: int, conventions: Sequence[str] = ()) -> Variant:
    """The workload as it is meant, without dropout, in the framework's own conventions."""
    recipe = workload.recipe
    graph = workload.model.without_dropout().graph
    return Variant(Case(graph, recipe.loss, recipe.optimiser, batch, frozenset(conventions)))


def with_graph(variant: Variant, graph: Graph) -> Variant:
    return replace(variant, case=replace(variant.case, graph=graph))


def with_layer(graph: Graph, place: int, layer: L.Layer) -> Graph:
    """The same graph with another layer at one place."""
    return with_node(graph, place, replace(graph.nodes[place], layer=layer))


def with_quirk(graph: Graph, place: int, quirk: str) -> Graph:
    """The same graph with one layer computed in a known wrong way."""
    node = graph.nodes[place]
    return with_node(graph, place, replace(node, quirks=node.quirks | {quirk}))


def with_node(graph: Graph, place: int, node: Node) -> Graph:
    nodes = list(graph.nodes)
    nodes[place] = node
    return replace(graph, nodes=tuple(nodes))
