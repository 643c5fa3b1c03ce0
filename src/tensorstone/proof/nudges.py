"""A probe moved off its kinks, by tiny changes of the weights that lead to them.

A large model has so many values that some always lie near a kink, whatever the seed. But each is
one channel's, and a channel has a row of weights of its own: moved by a few roundings more than the
margin, it takes its values off the kink and leaves those of others nearly where they were.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.graph import Graph, Join
from tensorstone.models.recurrent import TimeDistributed
from tensorstone.oracle import Arrays, Case, gradients, output
from tensorstone.oracle.optimisers import Updates
from tensorstone.proof.kinks import MARGIN, near_kink, near_target

SIZE = 4 * MARGIN  # of a weight: as far as takes most values out, and no farther
WALKS = 6  # nudges change gradients, a little: what they undo in later updates is done again
MANY = 150  # in a walk: they change gradients so much that later updates never come off theirs
MOST = 12  # nudges of one row in a walk; what is near a kink still will stay there
_ROWED = (L.Conv2D, L.Dense, TimeDistributed)  # a channel out is a row of their `weight`

# Whose row, which one, and the how-manieth nudge of all: enough to make it again.
Nudge = tuple[int, int, int]


def off_kinks(case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray) -> tuple[list[Nudge], int]:
    """Nudges that take every update's values off their kinks, and how many kinks they leave.

    Where that is too much to ask, those of the first update are off theirs.
    """
    nudges, left = _walks(case, weights, x, y)
    if left:
        nudges, _ = _walks(case, weights, x[: case.batch], y[: case.batch])
    return nudges, left


def _walks(case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray) -> tuple[list[Nudge], int]:
    nudges: list[Nudge] = []
    for _ in range(WALKS):
        walk = _Walk(case, nudged(case.graph, weights, nudges), x, y, len(nudges))
        nudges += walk.nudges
        if not walk.nudges:
            return nudges, walk.left
        if len(walk.nudges) > MANY and len(x) > case.batch:
            break
    return nudges, walk.left + len(walk.nudges)


def nudged(graph: Graph, weights: Arrays, nudges: Iterable[Nudge]) -> Arrays:
    """The weights with these rows moved, the same in every process."""
    moved = dict(weights)
    for place, row, number in nudges:
        name = f"{graph.nodes[place].name}.weight"
        if moved[name] is weights[name]:
            moved[name] = weights[name].copy()
        array = moved[name]
        noise = np.random.default_rng([place, row, number]).standard_normal(array[row].shape)
        array[row] *= (1 + SIZE * noise).astype(np.float32)
    return moved


class _Walk:
    """Once through the graph with the batches of all updates side by side. Where one is near a kink
    the rows that made its values are nudged, and the walk goes on from where they are made."""

    def __init__(
        self, case: Case, weights: Arrays, x: np.ndarray, y: np.ndarray, number: int
    ) -> None:
        self._graph, self._weights, self._number = case.graph, weights, number
        count = len(x) // case.batch
        batches = [slice(i * case.batch, (i + 1) * case.batch) for i in range(count)]
        self._ahead = _ahead(case, weights, x, y, batches)
        self._values = [{-1: x[batch].astype(np.float64)} for batch in batches]
        self._targets = [y[batch] for batch in batches] if case.loss == "absolute" else []
        self._tried: dict[tuple[int, int], int] = {}
        self.nudges: list[Nudge] = []
        self.left = 0
        place, last = 0, len(case.graph.nodes)
        while place <= last:
            if place < last:
                self._compute(place)
            back = self._nudge(self._near(place), place)
            place = place + 1 if back is None else back

    def _compute(self, place: int) -> None:
        node = self._graph.nodes[place]
        for values, ahead in zip(self._values, self._ahead, strict=True):
            own = {w.name: self._weights[w.name] + ahead[w.name] for w in node.weights}
            values[place] = output(node, own, *(values[source] for source in node.inputs))

    def _near(self, place: int) -> set[int]:
        """The channels that are near the kink here, in any update; past the end is the loss."""
        if place == len(self._graph.nodes):
            pairs = zip(self._values, self._targets, strict=bool(self._targets))
            return {c for values, y in pairs for c in near_target(values[place - 1], y)}
        node = self._graph.nodes[place]
        return {c for values in self._values for c in near_kink(node, values[node.inputs[0]])}

    def _nudge(self, channels: set[int], place: int) -> int | None:
        """Nudge whoever made these channels; the first of them is where to go back to."""
        rows = {_row(self._graph, place, channel) for channel in channels}
        more: list[Nudge] = []
        for row in sorted(row for row in rows if row):
            self._tried[row] = self._tried.get(row, 0) + 1
            if self._tried[row] <= MOST:
                more.append((*row, self._number + len(self.nudges) + len(more)))
        if not more:
            self.left += len(channels)
            return None
        self._weights = nudged(self._graph, self._weights, more)
        self.nudges += more
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
