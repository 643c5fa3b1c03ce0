"""A model's first parts as programs of their own: where values first part, and what they are there.

Each prefix is emitted as a model that is only asked to predict, and the part after which its
outputs are wrong is found by halving. Within a fork or a block every layer is asked, in order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tensorstone.dialects.emit import emit_part
from tensorstone.dialects.registry import Dialect
from tensorstone.models.described import weighted_layers
from tensorstone.models.graph import Graph, Join, Node
from tensorstone.models.model import Model
from tensorstone.models.placed import PlacedUse
from tensorstone.models.recipe import SGD, Recipe
from tensorstone.models.structure import Part
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays, activations, forward
from tensorstone.proof import tolerance
from tensorstone.proof.expectation import SMALL_MEMBERS
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.program import Programs, RunningProgram
from tensorstone.proof.sources import Edit
from tensorstone.proof.stops import Stop, stops
from tensorstone.proof.tolerance import disturbed

# Relative, of a prefix's outputs, where the program computes in float64.
SAME = 1e-9
# In float32 a layer's own formula can be told from others to about three digits.
COARSE = 1e-3


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

    @property
    def whole(self) -> Stop:
        """The model itself."""
        body = self.workload.model.body
        return Stop(self.workload.model.chain.parts[-1].path, body.parts)

    def first_wrong(self) -> Stop | None:
        """The shortest prefix that is wrong; None if the whole is right as a prefix."""
        if self._right(self.whole):
            return None
        parts = self.workload.model.body.parts
        low, high = 0, len(parts)
        while high - low > 1:
            middle = (low + high) // 2
            if self._right(self.upto(middle)):
                low = middle
            else:
                high = middle
        inner = self.inner(high)
        wrong = next((stop for stop in inner if not self._right(stop)), None)
        return wrong or self.upto(high)

    def upto(self, count: int) -> Stop:
        model = self.workload.model
        return Stop(model.chain.parts[count - 1].path, model.body.parts[:count])

    def inner(self, count: int) -> list[Stop]:
        """What the part is made of, if that is more than one layer."""
        model = self.workload.model
        part, placed = model.body.parts[count - 1], model.chain.parts[count - 1]
        before = model.body.parts[: count - 1]
        found = list(stops(part, placed))
        return [Stop(s.path, (*before, *s.parts)) for s in found] if len(found) > 1 else []

    def evidence(self, stop: Stop) -> LayerEvidence | None:
        """What the last layer of a wrong prefix was given and gave; None if it is no one layer."""
        graph = self.graph(stop)
        node, weights = graph.nodes[-1], self.weights(graph)
        if node.name != stop.path:
            return None
        x = self._all()
        values = activations(graph, weights, x)
        inputs = tuple(values[source] if source >= 0 else x for source in node.inputs)
        own: Arrays = {
            weight.role: weights[weight.name].astype(np.float64) for weight in node.weights
        }
        least = SAME if self.double else COARSE
        return LayerEvidence(
            node,
            _wide(inputs),
            own,
            _wide((self._observed(stop, x),))[0],
            values[-1],
            least,
            others=self._others(node),
            paths=_summed(graph, node, values),
        )

    def _others(self, node: Node) -> dict[str, Arrays]:
        """What the model's other layers have in the shapes of this one's arrays."""
        shapes = {weight.role: weight.shape for weight in node.weights}
        found: dict[str, Arrays] = {}
        for other in self.workload.model.graph.nodes:
            same = {weight.role: weight.shape for weight in other.weights} == shapes
            if shapes and same and other.name != node.name:
                given = self.probe.trace.weights
                found[other.name] = {w.role: given[w.name].astype(float) for w in other.weights}
        return found

    def shared_block(self, wrong: Stop) -> tuple[str, str] | None:
        """The use of a block that a stop is in, and the use whose weights it computes with."""
        model = self.workload.model
        uses = [part for part in model.chain.parts if isinstance(part, PlacedUse)]
        for count, use in enumerate(model.chain.parts, 1):
            if not isinstance(use, PlacedUse) or not wrong.path.startswith(f"{use.path}."):
                continue
            whole = self.upto(count)
            observed, graph = self._observed(whole, self.x), self.graph(whole)
            for other in uses:
                if other.block != use.block or other.path == use.path:
                    continue
                weights = self._exchanged(graph, use.path, other.path)
                if weights is not None and _near(observed, forward(graph, weights, self.x)):
                    return use.path, other.path
        return None

    def _exchanged(self, graph: Graph, use: str, other: str) -> Arrays | None:
        """The weights with those of one use of a block put for those of another."""
        given, found = self.probe.trace.weights, {}
        for weight in graph.weights:
            name = weight.name
            if name.startswith(f"{use}."):
                name = f"{other}.{name.removeprefix(f'{use}.')}"
            if name not in given or given[name].shape != weight.shape:
                return None
            found[weight.name] = given[name]
        return found

    def _right(self, stop: Stop) -> bool:
        graph, x = self.graph(stop), self.x
        weights = self.weights(graph)
        expected = forward(graph, weights, x)
        observed = self._observed(stop, x)
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

    def load(self, stop: Stop) -> RunningProgram:
        """The prefix as a program."""
        part = self._part(stop.parts)
        text = emit_part(part, self.dialect)
        if self.edit:
            text = self.edit(text)
        return self.programs.load(text, weighted_layers(part.model))

    def _observed(self, stop: Stop, x: np.ndarray) -> np.ndarray:
        program = self.load(stop)
        program.start(self.weights(self.graph(stop)))
        return program.predict(x)

    def _part(self, parts: tuple[Part, ...]) -> Workload:
        model = self.workload.model
        recipe = Recipe("mean-squared", SGD(0.01), batch=1, epochs=1, metric="mse")
        short = Model(model.name, model.inputs, parts)
        return replace(self.workload, model=short, recipe=recipe, parameters=None)

    def graph(self, stop: Stop) -> Graph:
        return self._part(stop.parts).model.without_dropout().graph

    def weights(self, graph: Graph) -> Arrays:
        return {weight.name: self.probe.trace.weights[weight.name] for weight in graph.weights}

    @property
    def x(self) -> np.ndarray:
        return self.probe.trace.x[: self.probe.batch]

    def _all(self) -> np.ndarray:
        """Every whole batch: one alone may have few values beyond where a function is clipped."""
        x, size = self.probe.trace.x, self.probe.batch
        return x[: len(x) // size * size]


def _summed(graph: Graph, node: Node, values: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The paths of the sum that a layer reads, if it reads one."""
    before = graph.nodes[node.inputs[0]] if node.inputs[0] >= 0 else node
    if isinstance(before.layer, Join) and before.layer.how == "add" and min(before.inputs) >= 0:
        return tuple(values[source] for source in before.inputs)
    return ()


def _near(observed: np.ndarray, expected: np.ndarray) -> bool:
    """Of what is otherwise nowhere near."""
    if observed.shape != expected.shape:
        return False
    size = float(np.abs(expected).max(initial=0.0)) or 1.0
    return float(np.abs(observed - expected).max(initial=0.0)) <= 1e-5 * size


def _wide(arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    return tuple(a if np.issubdtype(a.dtype, np.integer) else a.astype(np.float64) for a in arrays)
