"""A known deviation: its name, what it means, and where in a given case it could be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tensorstone.models.graph import Graph, Node
from tensorstone.proof.variant import Variant, with_graph


@dataclass(frozen=True)
class Suspect:
    """One place (or value) of a deviation, as a way of computing."""

    variant: Variant
    place: str | None = None  # the first layer it touches; None: not in any layer
    detail: str = ""  # "epsilon 1e-07 instead of 1e-08"


@dataclass(frozen=True)
class Deviation:
    """An entry of the catalogue."""

    name: str
    meaning: str  # one line, in plain words
    candidates: Callable[[Variant], Iterable[Suspect]]


GraphChange = Callable[[Graph, int], Graph]


def at_each(variant: Variant, places: Sequence[int], change: GraphChange) -> Iterator[Suspect]:
    """The change at every place by itself, and at all of them."""
    graph = variant.case.graph
    for place in places:
        changed = with_graph(variant, change(graph, place))
        yield Suspect(changed, graph.nodes[place].name)
    if len(places) > 1:
        everywhere = graph
        for place in places:
            everywhere = change(everywhere, place)
        detail = f"in all {len(places)} layers"
        yield Suspect(with_graph(variant, everywhere), graph.nodes[places[0]].name, detail)


def places(graph: Graph, wanted: Callable[[Node], bool]) -> list[int]:
    return [place for place, node in enumerate(graph.nodes) if wanted(node)]


def input_shape(graph: Graph, place: int) -> tuple[int, ...]:
    source = graph.nodes[place].inputs[0]
    return graph.inputs if source < 0 else graph.nodes[source].shape
