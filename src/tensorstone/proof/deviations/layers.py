"""Deviations inside a layer, or in how layers follow one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tensorstone.models import layers as L
from tensorstone.models.graph import Graph, Node
from tensorstone.models.shapes import output_shape
from tensorstone.oracle.normalisation import DETACHED, RUNNING
from tensorstone.oracle.operations import BLOCKED, blocked_input
from tensorstone.proof.deviations.deviation import (
    Deviation,
    Suspect,
    at_each,
    input_shape,
    places,
)
from tensorstone.proof.measuring.factors import listed
from tensorstone.proof.variant import Variant, with_graph, with_layer, with_node, with_quirk
from tensorstone.support.errors import StoneError

_WINDOWED = (L.Conv2D, L.MaxPool2D, L.AvgPool2D)
_NOTHING = L.Dropout(0.0)  # passes its input on
_SLOPES = (0.01, 0.1, 0.2, 0.25, 0.3)
_KEPT = (0.9, 0.99, 0.999, 0.1, 0.01)
_EPSILONS = (1e-3, 1e-4, 1e-5, 1e-6, 2e-5)


def _missing_bias(variant: Variant) -> Iterator[Suspect]:
    found = places(variant.case.graph, lambda n: any(w.role.endswith("bias") for w in n.weights))
    return at_each(variant, found, lambda g, p: with_quirk(g, p, "missing-bias"))


def _blocked(variant: Variant) -> Iterator[Suspect]:
    """At any layer without weights that has some before it, from the loss backwards."""
    graph = variant.case.graph
    first = next((p for p, node in enumerate(graph.nodes) if node.weights), len(graph.nodes))
    found = places(graph, lambda n: not n.weights)
    for place in reversed([place for place in found if place > first]):
        blocked = with_graph(variant, with_quirk(graph, place, BLOCKED))
        yield Suspect(blocked, graph.nodes[place].name, _untrained(graph, place))


def _untrained(graph: Graph, place: int) -> str:
    """Which layers get no gradient where none passes one."""
    reach = {len(graph.nodes) - 1}
    for number in range(len(graph.nodes) - 1, -1, -1):
        if number in reach and number != place:
            reach |= set(graph.nodes[number].inputs)
    names = [n.name for k, n in enumerate(graph.nodes) if n.weights and k not in reach]
    if not names:
        return ""
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} not trained"


def _blocked_path(variant: Variant) -> Iterator[Suspect]:
    """Through one path into a join."""
    graph = variant.case.graph
    joins = places(graph, lambda n: len(n.inputs) > 1)
    most = max((len(graph.nodes[place].inputs) for place in joins), default=0)
    for path in range(most):
        having = [place for place in joins if len(graph.nodes[place].inputs) > path]
        blocked = partial(_quirked, blocked_input(path))
        for suspect in at_each(variant, having, blocked):
            yield replace(suspect, detail=f"path {path + 1} {suspect.detail}".strip())


def _quirked(quirk: str, graph: Graph, place: int) -> Graph:
    return with_quirk(graph, place, quirk)


def _missing_activation(variant: Variant) -> Iterator[Suspect]:
    found = places(variant.case.graph, lambda n: isinstance(n.layer, L.Activation))
    return at_each(variant, found, lambda g, p: with_layer(g, p, _NOTHING))


def _swapped(variant: Variant) -> Iterator[Suspect]:
    """Activation and pooling in the other order.

    Harmless, and so never found, where they commute: a rising activation and a max-pool.
    """
    graph = variant.case.graph
    for second, node in enumerate(graph.nodes):
        first = node.inputs[0]
        if first < 0 or sum(first in n.inputs for n in graph.nodes) > 1:
            continue
        before = graph.nodes[first]
        pair = {_pools(before), _pools(node)}
        if pair != {True, False} or not (_activates(before) or _activates(node)):
            continue
        pooled = before.shape if _pools(before) else node.shape
        middle = pooled if _pools(node) else input_shape(graph, first)
        swapped = with_node(graph, first, replace(before, layer=node.layer, shape=middle))
        swapped = with_node(swapped, second, replace(node, layer=before.layer, shape=pooled))
        activation = before if _activates(before) else node
        yield Suspect(with_graph(variant, swapped), activation.name)


def _padding_side(variant: Variant) -> Iterator[Suspect]:
    graph = variant.case.graph
    found = places(graph, lambda n: isinstance(n.layer, _WINDOWED))
    for split in _SPLITS:
        layers = {place: _repadded(graph, place, split) for place in found}
        other = [place for place in found if layers[place] != graph.nodes[place].layer]
        yield from at_each(variant, other, partial(_relayered, layers))


def _relayered(layers: dict[int, L.Layer], graph: Graph, place: int) -> Graph:
    return with_layer(graph, place, layers[place])


def _swap(n: int, kernel: int, stride: int, sides: L.Pair) -> L.Pair:
    return sides[1], sides[0]


def _low(n: int, kernel: int, stride: int, sides: L.Pair) -> L.Pair:
    return 0, sum(sides)


def _high(n: int, kernel: int, stride: int, sides: L.Pair) -> L.Pair:
    return sum(sides), 0


def _same(n: int, kernel: int, stride: int, sides: L.Pair) -> L.Pair:
    """As little as keeps ⌈n/stride⌉ outputs, the odd one at the end ("same" padding)."""
    total = max((-(-n // stride) - 1) * stride + kernel - n, 0)
    return total // 2, total - total // 2


_SPLITS = (_same, _swap, _low, _high)


def _repadded(graph: Graph, place: int, split: Any) -> L.Layer:
    """The layer with its padding on other sides, where that still fits; else as it is."""
    node = graph.nodes[place]
    layer: Any = node.layer
    shape = input_shape(graph, place)
    sizes = zip(shape[1:], layer.kernel, layer.stride, layer.padding, strict=True)
    changed: L.Layer = replace(layer, padding=tuple(split(*axis) for axis in sizes))
    try:
        fits = output_shape(changed, node.name, shape) == node.shape
    except StoneError:
        fits = False
    return changed if fits else node.layer


def _ceil_mode(variant: Variant) -> Iterator[Suspect]:
    graph = variant.case.graph

    def rounds(place: int) -> bool:
        layer: Any = graph.nodes[place].layer
        if not _pools(graph.nodes[place]):
            return False
        axes = zip(
            input_shape(graph, place)[1:], layer.kernel, layer.stride, layer.padding, strict=True
        )
        return any((n + sum(sides) - kernel) % stride for n, kernel, stride, sides in axes)

    found = [place for place in range(len(graph.nodes)) if rounds(place)]
    return at_each(variant, found, lambda g, p: with_quirk(g, p, "ceil-mode"))


def _counting(counted: bool, variant: Variant) -> Iterator[Suspect]:
    def wanted(node: Node) -> bool:
        layer: Any = node.layer
        padded = isinstance(layer, L.AvgPool2D) and any(map(sum, layer.padding))  # type: ignore[arg-type]
        return padded and layer.count_padding is not counted

    def change(graph: Graph, place: int) -> Graph:
        layer: Any = graph.nodes[place].layer
        return with_layer(graph, place, replace(layer, count_padding=counted))

    return at_each(variant, places(variant.case.graph, wanted), change)


def _flipped(variant: Variant) -> Iterator[Suspect]:
    def wanted(node: Node) -> bool:
        return isinstance(node.layer, L.Conv2D) and max(node.layer.kernel) > 1  # type: ignore[arg-type]

    found = places(variant.case.graph, wanted)
    return at_each(variant, found, lambda g, p: with_quirk(g, p, "flipped-kernel"))


def _hwc_flatten(variant: Variant) -> Iterator[Suspect]:
    graph = variant.case.graph
    found = [
        place
        for place, node in enumerate(graph.nodes)
        if isinstance(node.layer, L.Flatten) and len(input_shape(graph, place)) == 3
    ]
    return at_each(variant, found, lambda g, p: with_quirk(g, p, "hwc-flatten"))


def _setting(kind: type[L.Layer], field: str, values: tuple[float, ...]) -> Any:
    """Another value of one of a layer's numbers."""

    def candidates(variant: Variant) -> Iterator[Suspect]:
        graph = variant.case.graph
        found = places(graph, lambda n: isinstance(n.layer, kind))
        given = {getattr(graph.nodes[p].layer, field) for p in found}
        opposite = {round(1 - value, 9) for value in given} if field == "momentum" else set()
        for value in dict.fromkeys((*sorted(opposite), *values)):
            layers = {p: replace(graph.nodes[p].layer, **{field: value}) for p in found}
            other = [place for place in found if layers[place] != graph.nodes[place].layer]
            for candidate in at_each(variant, other, partial(_relayered, layers)):
                detail = f"{field} {value:g}"
                yield replace(candidate, detail=f"{detail} {candidate.detail}".strip())

    return candidates


def _unbiased(variant: Variant) -> Iterator[Suspect]:
    found = places(variant.case.graph, lambda n: isinstance(n.layer, L.BatchNorm))
    if not found:
        return
    convention = frozenset({"batchnorm-unbiased-variance"})
    case = variant.case
    other = replace(variant, case=replace(case, conventions=case.conventions ^ convention))
    now = "biased" if convention <= case.conventions else "unbiased"
    yield Suspect(other, case.graph.nodes[found[0]].name, f"running variance {now}")
    yield from at_each(variant, found, lambda g, p: with_quirk(g, p, "unbiased-variance"))


def _batch_statistics(variant: Variant) -> Iterator[Suspect]:
    found = places(variant.case.graph, lambda n: isinstance(n.layer, L.BatchNorm))
    if found:
        first = variant.case.graph.nodes[found[0]].name
        batch = replace(variant, batch_statistics=True)
        yield Suspect(batch, first)
        detail = "and moves the running ones"
        yield Suspect(replace(batch, prediction_moves=True), first, detail)


def _in_training(quirk: str, variant: Variant) -> Iterator[Suspect]:
    found = places(variant.case.graph, lambda n: isinstance(n.layer, L.BatchNorm))
    return at_each(variant, found, lambda g, p: with_quirk(g, p, quirk))


def _pools(node: Node) -> bool:
    return isinstance(node.layer, L.MaxPool2D | L.AvgPool2D)


def _activates(node: Node) -> bool:
    return isinstance(node.layer, L.Activation)


LAYERS = (
    Deviation("missing-activation", "an activation is left out", _missing_activation),
    Deviation(
        "missing-bias", "a layer computes without its bias, or its bias is not there", _missing_bias
    ),
    Deviation(
        "activation-pooling-swapped",
        "an activation and a pooling stand in the other order (harmless where they commute: a "
        "rising activation and a max-pool)",
        _swapped,
    ),
    Deviation(
        "gradient-blocked",
        "what is before a layer is not trained: no gradient passes back through it, or through one "
        "without weights just before it",
        _blocked,
    ),
    Deviation(
        "path-blocked", "no gradient passes back through one of the paths that join", _blocked_path
    ),
    Deviation("padding-side", "padding is put on other sides", _padding_side),
    Deviation("ceil-mode", "a pooling rounds its output's size up, not down", _ceil_mode),
    Deviation("padding-counted", "averages count the padding", partial(_counting, True)),
    Deviation("padding-not-counted", "averages leave the padding out", partial(_counting, False)),
    Deviation("flipped-kernel", "kernels are flipped: true convolution", _flipped),
    Deviation(
        "hwc-flatten", "maps are flattened in the order height, width, channels", _hwc_flatten
    ),
    Deviation(
        "leaky-slope", "a leaky ReLU has another slope", _setting(L.LeakyReLU, "slope", _SLOPES)
    ),
    Deviation(
        "batchnorm-momentum",
        "running statistics move at another pace (or momentum means its opposite)",
        _setting(L.BatchNorm, "momentum", _KEPT),
    ),
    Deviation(
        "batchnorm-epsilon",
        "batch normalisation has another epsilon",
        _setting(L.BatchNorm, "epsilon", _EPSILONS),
    ),
    Deviation(
        "batchnorm-unbiased-variance",
        "batch normalisation's variance is the unbiased one (or the biased one, where the "
        "framework's convention is unbiased)",
        _unbiased,
    ),
    Deviation(
        "batch-statistics-in-prediction",
        "prediction normalises with the batch's own statistics",
        _batch_statistics,
    ),
    Deviation(
        "running-statistics-in-training",
        "training normalises with the running statistics, as prediction does",
        partial(_in_training, RUNNING),
    ),
    Deviation(
        "detached-statistics",
        "no gradient goes through the batch's mean and variance",
        partial(_in_training, DETACHED),
    ),
)
