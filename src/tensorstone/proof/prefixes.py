"""A model's first parts as programs of their own: where values first part, and what they are there.

Each prefix is emitted as a model that is only asked to predict, and the part after which its
outputs are wrong is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tensorstone.dialects.emit import emit_part
from tensorstone.dialects.registry import Dialect
from tensorstone.models.described import weighted_layers
from tensorstone.models.graph import Graph
from tensorstone.models.model import Model
from tensorstone.models.recipe import SGD, Recipe
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays, activations, forward
from tensorstone.proof import tolerance
from tensorstone.proof.expectation import SMALL_MEMBERS
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.program import Programs
from tensorstone.proof.tolerance import disturbed

# Relative, of a prefix's outputs, where the program computes in float64.
SAME = 1e-9
# In float32 a layer's own formula can be told from others to about three digits.
COARSE = 1e-3
Edit = Callable[[str], str]


@dataclass(frozen=True)
class Prefixes:
    """The prefixes of a workload in one dialect. `edit` rewrites each, as it did the program."""

    workload: Workload
    dialect: Dialect
    programs: Programs
    probe: Probe
    edit: Edit | None = None

    @property
    def double(self) -> bool:
        return self.programs.precision == "float64"

    def first_wrong(self) -> int | None:
        """How many parts the shortest wrong prefix has; None if the whole is right as a prefix."""
        low, high = 0, len(self.workload.model.body.parts)
        if self._right(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            if self._right(middle):
                low = middle
            else:
                high = middle
        return high

    def path(self, count: int) -> str:
        """The last part's name."""
        return self.workload.model.chain.parts[count - 1].path

    def evidence(self, count: int) -> LayerEvidence | None:
        """What the last layer of a wrong prefix was given and gave; None if it is no one layer."""
        graph, before = self._graph(count), self._graph(count - 1) if count > 1 else None
        if len(graph.nodes) != (len(before.nodes) if before else 0) + 1:
            return None
        node, weights = graph.nodes[-1], self._weights(graph)
        x = self._x()
        values = activations(graph, weights, x)
        inputs = tuple(values[source] if source >= 0 else x for source in node.inputs)
        own: Arrays = {
            weight.role: weights[weight.name].astype(np.float64) for weight in node.weights
        }
        least = SAME if self.double else COARSE
        return LayerEvidence(
            node, _wide(inputs), own, _wide((self._observed(count),))[0], values[-1], least
        )

    def _right(self, count: int) -> bool:
        graph, x = self._graph(count), self._x()
        weights = self._weights(graph)
        expected = forward(graph, weights, x)
        observed = self._observed(count)
        if observed.shape != expected.shape:
            return False
        if self.double:
            size = float(np.abs(expected).max(initial=0.0)) or 1.0
            return float(np.abs(observed - expected).max(initial=0.0)) <= SAME * size
        members = []
        for by in SMALL_MEMBERS:
            moved = {name: disturbed(array, by, name) for name, array in weights.items()}
            members.append((forward(graph, moved, disturbed(x, by, "x"), np.float32), by))
        bound = tolerance.bound(expected, None, members)
        return tolerance.distance(observed, expected, bound) <= bound.tolerance

    def _observed(self, count: int) -> np.ndarray:
        part = self._part(count)
        text = emit_part(part, self.dialect)
        if self.edit:
            text = self.edit(text)
        program = self.programs.load(text, weighted_layers(part.model))
        program.start(self._weights(part.model.graph))
        return program.predict(self._x())

    def _part(self, count: int) -> Workload:
        model = self.workload.model
        parts = model.body.parts[:count]
        recipe = Recipe("mean-squared", SGD(0.01), batch=1, epochs=1, metric="mse")
        short = Model(model.name, model.inputs, parts)
        return replace(self.workload, model=short, recipe=recipe, parameters=None)

    def _graph(self, count: int) -> Graph:
        return self._part(count).model.without_dropout().graph

    def _weights(self, graph: Graph) -> Arrays:
        return {weight.name: self.probe.trace.weights[weight.name] for weight in graph.weights}

    def _x(self) -> np.ndarray:
        return self.probe.trace.x[: self.probe.batch]


def _wide(arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    return tuple(a if np.issubdtype(a.dtype, np.integer) else a.astype(np.float64) for a in arrays)
