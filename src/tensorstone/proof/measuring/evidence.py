"""What is known of one layer of a program: what went in, what came out, what should have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replaced

import numpy as np

from tensorstone.models.graph import Node
from tensorstone.models.layers import Layer
from tensorstone.oracle import Arrays
from tensorstone.oracle.call import Call
from tensorstone.oracle.operations import operation


@dataclass(frozen=True)
class LayerEvidence:
    """One layer's exact inputs and weights, its output, and the output the oracle gives."""

    node: Node  # the layer as the model has it
    inputs: tuple[np.ndarray, ...]  # batch first
    weights: Arrays  # by role
    observed: np.ndarray
    expected: np.ndarray
    tolerance: float  # relative
    training: bool = False  # a pass of training: a batch norm uses the batch's statistics
    # Arrays of the same shapes, by the other layer that has them.
    others: Mapping[str, Arrays] = field(default_factory=dict)
    paths: tuple[np.ndarray, ...] = ()  # whose sum it reads, if it reads one

    @property
    def x(self) -> np.ndarray:
        return self.inputs[0]

    def computed(
        self,
        *inputs: np.ndarray,
        layer: Layer | None = None,
        weights: Arrays | None = None,
        quirk: str | None = None,
    ) -> np.ndarray:
        """What the oracle makes of the inputs, with another layer, other weights or a quirk."""
        node = self.node if layer is None else replaced(self.node, layer=layer)
        if quirk:
            node = replaced(node, quirks=node.quirks | {quirk})
        arrays = self.weights if weights is None else {**self.weights, **weights}
        call = Call(node.layer, node.name, arrays, node.quirks, training=self.training)
        found: np.ndarray = operation(node).forward(call, *(inputs or self.inputs))[0]
        return found

    def first(self, samples: int) -> LayerEvidence:
        """The same of the first samples alone."""
        return replaced(
            self,
            inputs=tuple(x[:samples] for x in self.inputs),
            observed=self.observed[:samples],
            expected=self.expected[:samples],
            paths=tuple(x[:samples] for x in self.paths),
        )

    def elsewhere(self) -> LayerEvidence:
        """Other inputs and weights of the same range. What was observed is not known of them."""
        draw = np.random.default_rng(7)
        inputs = tuple(_mixed(draw, x) for x in self.inputs)
        paths = tuple(_mixed(draw, x) for x in self.paths)
        if paths:
            inputs = (np.sum(paths, axis=0),)
        weights = {r: w * draw.uniform(0.5, 1.5, w.shape) for r, w in self.weights.items()}
        others = {
            name: {r: w * draw.uniform(0.5, 1.5, w.shape) for r, w in arrays.items()}
            for name, arrays in self.others.items()
        }
        there = replaced(self, inputs=inputs, weights=weights, others=others, paths=paths)
        expected = there.computed()
        return replaced(there, observed=expected, expected=expected)


def _mixed(draw: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """The numbers of `x` in any order; others where they are all the same."""
    if np.issubdtype(x.dtype, np.integer):
        return draw.permuted(x.ravel()).reshape(x.shape)
    if np.ptp(x) <= 1e-6 * np.abs(x).max(initial=0.0):
        return draw.normal(size=x.shape)
    return draw.permuted(x.ravel()).reshape(x.shape)
