"""Deviations of recurrent layers that do not compute with the weights they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tensorstone.models import recurrent as R
from tensorstone.models.graph import Graph
from tensorstone.oracle.gates import FIRST_BIAS
from tensorstone.proof.deviations.deviation import Deviation, Suspect, at_each, places
from tensorstone.proof.variant import Added, Variant, with_graph, with_node, with_quirk

_OWN = "unseen "  # begins the names of the weights that are computed with


def _unused(variant: Variant) -> Iterator[Suspect]:
    """The layer's own weights begin at zero and train; those of the model stay as they are."""
    found = places(variant.case.graph, lambda n: isinstance(n.layer, R.Recurrent))
    for candidate in at_each(variant, found, _with_its_own):
        started = _started(candidate.variant)
        yield replace(candidate, variant=started)
        graph = started.case.graph
        for place in places(graph, lambda n: isinstance(n.layer, R.LSTM)):
            graph = with_quirk(graph, place, FIRST_BIAS)
        if graph != started.case.graph:
            detail = f"{candidate.detail} and all gates take the first one's bias".strip()
            yield replace(candidate, variant=with_graph(started, graph), detail=detail)


def _with_its_own(graph: Graph, place: int) -> Graph:
    node = graph.nodes[place]
    own = tuple(replace(weight, name=_OWN + weight.name) for weight in node.weights)
    return with_node(graph, place, replace(node, weights=own))


def _started(variant: Variant) -> Variant:
    own = (weight for weight in variant.case.graph.weights if weight.name.startswith(_OWN))
    return replace(variant, added=tuple(Added(w.name, w.shape, 0.0) for w in own))


UNUSED_WEIGHTS = (
    Deviation(
        "weights-unused",
        "a recurrent layer computes with weights of its own, which begin at zero (and so does "
        "its state, and stays there until they have learnt); those it is given are never used",
        _unused,
    ),
)
