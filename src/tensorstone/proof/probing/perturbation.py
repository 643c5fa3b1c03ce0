"""Tiny changes of weights that move values away from points where the gradient jumps.

A large model has so many values that some always lie near such a point, whatever the seed. But each
value belongs to one channel, and a channel has a row of weights of its own: perturbed by a little
more than the margin, the row moves its values away and hardly changes any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.graph import Graph, Join
from tensorstone.models.recurrent import TimeDistributed
from tensorstone.oracle import Arrays, Case, activations, gradients, output
from tensorstone.oracle.optimisers import Updates
from tensorstone.proof.probing.nondifferentiable import (
    MARGIN,
    furthest,
    near_jump,
    near_target,
)
from tensorstone.proof.tolerance import COARSE, disturbed

SIZE = 16 * MARGIN  # of a weight: as far as takes most values out, and no farther
PASSES = 6  # perturbations change gradients a little: what that undoes in later updates is redone
MANY = 150  # in one pass: gradients change so much that later updates never get clear
MOST = 12  # perturbations of one row in a pass; what is still too near will stay there
_ROWED = (L.Conv2D, L.Dense, TimeDistributed)  # a channel out is a row of their `weight`

# The node, its row, and the number of the perturbation: enough to make it again.
Perturbation = tuple[int, int, int]


def perturbations(
    case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray
) -> tuple[list[Perturbation], int]:
    """What keeps the values of every update clear of jumps, and how many stay too near one.

    Where that cannot be had, those of the first update are kept clear.
    """
    made, left = _passes(case, weights, x, y)
    if left:
        made, _ = _passes(case, weights, x[: case.batch], y[: case.batch])
    return made, left


def _passes(
    case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray
) -> tuple[list[Perturbation], int]:
    made: list[Perturbation] = []
    moved = _moved(case, weights, x)
    for _ in range(PASSES):
        one = _Pass(case, perturbed(case.graph, weights, made), x, y, moved, len(made))
        made += one.made
        if not one.made:
            return made, one.left
        if len(one.made) > MANY and len(x) > case.batch:
            break
    return made, one.left + len(one.made)


def _moved(case: Case, weights: Arrays, x: np.ndarray) -> dict[int, np.ndarray]:
    """How far the disturbances that tolerances are made with move each node's values, by channel.

    Rounding grows from layer to layer, so no share of the values' size would do for all of them.
    """
    x = x[: case.batch]
    still = activations(case.graph, weights, x, training=True)
    moved: dict[int, np.ndarray] = {}
    for by in COARSE:
        drawn = {name: disturbed(array, by, name) for name, array in weights.items()}
        shifted = activations(case.graph, drawn, disturbed(x, by, "x"), training=True)
        for place, (one, other) in enumerate(zip(still, shifted, strict=True)):
            change = furthest(other - one)
            moved[place] = np.maximum(moved.get(place, change), change)
    return moved


def perturbed(graph: Graph, weights: Arrays, perturbations: Iterable[Perturbation]) -> Arrays:
    """The weights with these rows moved, the same in every process."""
    moved = dict(weights)
    for place, row, number in perturbations:
        name = f"{graph.nodes[place].name}.weight"
        if moved[name] is weights[name]:
            moved[name] = weights[name].copy()
        array = moved[name]
        noise = np.random.default_rng([place, row, number]).standard_normal(array[row].shape)
        array[row] *= (1 + SIZE * noise).astype(np.float32)
    return moved


class _Pass:
    """Once through the graph with the batches of all updates side by side.

    Where a value is too near a jump, the rows that made it are perturbed, and the pass goes on from
    where they are used.
    """

    def __init__(
        self,
        case: Case,
        weights: Arrays,
        x: np.ndarray,
        y: np.ndarray,
        moved: dict[int, np.ndarray],
        number: int,
    ) -> None:
        self._graph, self._weights, self._number = case.graph, weights, number
        self._moved = moved
        count = len(x) // case.batch
        batches = [slice(i * case.batch, (i + 1) * case.batch) for i in range(count)]
        self._ahead = _ahead(case, weights, x, y, batches)
        self._values = [{-1: x[batch].astype(np.float64)} for batch in batches]
        self._targets = [y[batch] for batch in batches] if case.loss == "absolute" else []
        self._tried: dict[tuple[int, int], int] = {}
        self.made: list[Perturbation] = []
        self.left = 0
        place, last = 0, len(case.graph.nodes)
        while place <= last:
            if place < last:
                self._compute(place)
            back = self._perturb(self._near(place), place)
            place = place + 1 if back is None else back

    def _compute(self, place: int) -> None:
        node = self._graph.nodes[place]
        for values, ahead in zip(self._values, self._ahead, strict=True):
            own = {w.name: self._weights[w.name] + ahead[w.name] for w in node.weights}
            values[place] = output(node, own, *(values[source] for source in node.inputs))

    def _near(self, place: int) -> set[int]:
        """The channels that are too near a jump here, in any update; past the end is the loss."""
        if place == len(self._graph.nodes):
            pairs = zip(self._values, self._targets, strict=bool(self._targets))
            return {c for values, y in pairs for c in near_target(values[place - 1], y)}
        node = self._graph.nodes[place]
        source = node.inputs[0]
        moved = self._moved.get(source)
        return {c for values in self._values for c in near_jump(node, values[source], moved)}

    def _perturb(self, channels: set[int], place: int) -> int | None:
        """Perturb the rows that made these channels. Returns the first of their nodes, to go back
        to."""
        rows = {_row(self._graph, place, channel) for channel in channels}
        more: list[Perturbation] = []
        for row in sorted(row for row in rows if row):
            self._tried[row] = self._tried.get(row, 0) + 1
            if self._tried[row] <= MOST:
                more.append((*row, self._number + len(self.made) + len(more)))
        if not more:
            self.left += len(channels)
            return None
        self._weights = perturbed(self._graph, self._weights, more)
        self.made += more
        return more[0][0]


def _ahead(
    case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray, batches: list[slice]
) -> list[Arrays]:
    """How far from the start every weight is by each update."""
    updates, reached = Updates(case), weights
    ahead = []
    for number, batch in enumerate(batches):
        ahead.append({name: array - weights[name] for name, array in reached.items()})
        if number + 1 < len(batches):
            _, found, statistics = gradients(case, reached, x[batch], y[batch])
            reached = updates.apply(reached, found) | statistics
    return ahead


def _row(graph: Graph, place: int, channel: int) -> tuple[int, int] | None:
    """Whose row makes this channel of a node's input; None: no layer's in particular."""
    nodes = graph.nodes
    place = nodes[place].inputs[0] if place < len(nodes) else place - 1
    while place >= 0:
        node = nodes[place]
        if isinstance(node.layer, _ROWED):
            return place, channel
        if node.weights and not isinstance(node.layer, L.BatchNorm):
            return None
        inputs = [nodes[source].shape if source >= 0 else graph.inputs for source in node.inputs]
        branch = 0
        if isinstance(node.layer, L.Flatten):
            channel //= math.prod(inputs[0][1:])
        elif isinstance(node.layer, Join) and node.layer.how == "concat":
            while channel >= inputs[branch][0]:
                channel -= inputs[branch][0]
                branch += 1
        place = node.inputs[branch]
    return None
