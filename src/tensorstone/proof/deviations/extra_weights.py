"""Deviations of recurrent layers that have weights the model has not, and train them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tensorstone.models import recurrent as R
from tensorstone.models.graph import Graph
from tensorstone.models.shapes import Shape, Weight
from tensorstone.proof.deviations.deviation import Deviation, Suspect, at_each, places
from tensorstone.proof.variant import Added, Variant, with_node

# What peepholes begin as when nobody loads them: hand-written cells say zeros or ones. Training
# moves them, so that even those that begin at zero show after an update.
_STARTS = (0.0, 1.0, 0.1)


def _peepholes(variant: Variant) -> Iterator[Suspect]:
    """The gates i and f see the state before the step, o the one after it."""
    found = places(variant.case.graph, lambda n: isinstance(n.layer, R.LSTM))
    grown = _growing("peepholes", lambda layer: (3, layer.units))
    for start in _STARTS:
        for candidate in at_each(variant, found, grown):
            detail = f"that begin at {start:g} {candidate.detail}".strip()
            changed = _started(variant, candidate.variant, start)
            yield replace(candidate, variant=changed, detail=detail)


def _trained_twice(variant: Variant) -> Iterator[Suspect]:
    """The second bias begins at zero; what is read as the bias is the sum of both."""
    found = places(variant.case.graph, lambda n: getattr(n.layer, "biases", 2) == 1)
    grown = _growing("recurrent_bias", lambda layer: (layer.gates * layer.units,))
    for candidate in at_each(variant, found, grown):
        changed = _started(variant, candidate.variant, 0.0)
        yield replace(candidate, variant=changed)


def _growing(role: str, shape: Callable[[Any], Shape]) -> Callable[[Graph, int], Graph]:
    """The change that gives a layer one more weight in each of its directions."""

    def grown(graph: Graph, place: int) -> Graph:
        node = graph.nodes[place]
        layer: Any = node.layer
        roles: Any = [f"{side}{role}" for side in layer.directions]
        added = (Weight(f"{node.name}.{role}", role, shape(layer)) for role in roles)
        return with_node(graph, place, replace(node, weights=(*node.weights, *added)))

    return grown


def _started(right: Variant, grown: Variant, start: float) -> Variant:
    """The grown variant with its new weights at `start`."""
    model = {weight.name for weight in right.case.graph.weights}
    new = (weight for weight in grown.case.graph.weights if weight.name not in model)
    added = tuple(
        Added(weight.name, weight.shape, start, _part_of(weight.name, model)) for weight in new
    )
    return replace(grown, added=added)


def _part_of(name: str, model: set[str]) -> str | None:
    only = name.replace("recurrent_bias", "bias")
    return only if only in model else None


EXTRA_WEIGHTS = (
    Deviation(
        "bias-trained-twice",
        "a bias is the sum of two that both train, where one is meant: it moves twice as far",
        _trained_twice,
    ),
    Deviation("peepholes", "an LSTM's gates see the cell's state, by weights", _peepholes),
)
