"""Deviations of layers over sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tensorstone.models import recurrent as R
from tensorstone.models.recipe import SGD
from tensorstone.proof.deviations.deviation import (
    Deviation,
    Suspect,
    at_each,
    input_shape,
    places,
)
from tensorstone.proof.deviations.extra_weights import EXTRA_WEIGHTS
from tensorstone.proof.deviations.unused_weights import UNUSED_WEIGHTS
from tensorstone.proof.variant import Variant, with_quirk

_ORDERS = ("gates-i-g-f-o", "gates-i-f-o-g", "gates-z-r-n")
Wanted = Callable[[Any], bool]  # of a layer


def _of(kind: type[R.Recurrent]) -> Wanted:
    return lambda layer: isinstance(layer, kind)


def _both_ways(sequence: bool) -> Wanted:
    return lambda layer: layer.bidirectional and layer.sequence is sequence


def _quirk(quirk: str, wanted: Wanted, several: bool, variant: Variant) -> Iterator[Suspect]:
    """In every recurrent layer that is `wanted`, and sees more than one step if it must."""
    graph = variant.case.graph
    found = [
        place
        for place in places(graph, lambda n: isinstance(n.layer, R.Recurrent) and wanted(n.layer))
        if input_shape(graph, place)[0] > 1 or not several
    ]
    return at_each(variant, found, lambda g, p: with_quirk(g, p, quirk))


def _gates_swapped(variant: Variant) -> Iterator[Suspect]:
    for order in _ORDERS:
        kind = R.GRU if order == "gates-z-r-n" else R.LSTM
        for candidate in _quirk(order, _of(kind), False, variant):
            taken = ", ".join(order.split("-")[1:])
            yield replace(candidate, detail=f"taken as {taken} {candidate.detail}".strip())


def _padding_left(variant: Variant) -> Iterator[Suspect]:
    found = places(variant.case.graph, lambda n: isinstance(n.layer, R.Embedding))
    return at_each(variant, found, lambda g, p: with_quirk(g, p, "padding-left"))


def _lazy_rows(variant: Variant) -> Iterator[Suspect]:
    """Without a memory of gradients past, a row that has none now does not move anyway."""
    case = variant.case
    found = places(case.graph, lambda n: isinstance(n.layer, R.Embedding))
    if found and not isinstance(case.optimiser, SGD):
        lazy = replace(variant, case=replace(case, quirks=case.quirks | {"lazy-rows"}))
        yield Suspect(lazy, case.graph.nodes[found[0]].name)


def _deviation(
    name: str, meaning: str, wanted: Wanted, quirk: str = "", several: bool = True
) -> Deviation:
    return Deviation(name, meaning, partial(_quirk, quirk or name, wanted, several))


RECURRENT = (
    Deviation("gates-swapped", "a layer's gates are taken in another order", _gates_swapped),
    _deviation(
        "update-gate-negated",
        "a GRU's update gate keeps where it should renew: h ← σ(z)·n + (1 − σ(z))·h",
        _of(R.GRU),
        several=False,
    ),
    _deviation(
        "reset-before",
        "a GRU's reset gate scales the state before the recurrent weights multiply it, not their"
        " product",
        lambda layer: isinstance(layer, R.GRU) and layer.reset_after,
        several=False,
    ),
    _deviation(
        "reset-after",
        "a GRU's reset gate scales the product of state and recurrent weights, not the state"
        " before it",
        lambda layer: isinstance(layer, R.GRU) and not layer.reset_after,
    ),
    _deviation("forget-bias-one", "one is added to an LSTM's forget gate", _of(R.LSTM)),
    _deviation(
        "cell-state-returned",
        "an LSTM gives its cell's state as its output, not the hidden state",
        _of(R.LSTM),
        several=False,
    ),
    _deviation(
        "state-stuck-at-zero",
        "every step follows on a state of zeros: nothing is remembered",
        _of(R.Recurrent),
    ),
    _deviation(
        "cell-run-once",
        "the cell sees the first step and no other",
        lambda layer: not layer.sequence,
        "run-once",
    ),
    _deviation(
        "batch-as-time",
        "the sequence is read along the batch: the state passes from sample to sample",
        _of(R.Recurrent),
        several=False,
    ),
    _deviation(
        "backward-first-step",
        "the backward direction's output is taken where it has read one step only",
        _both_ways(sequence=False),
    ),
    _deviation(
        "backward-not-reversed",
        "the backward direction reads forwards too",
        lambda layer: layer.bidirectional,
    ),
    _deviation(
        "backward-outputs-reversed",
        "the backward direction's outputs are left in the order it reads",
        _both_ways(sequence=True),
    ),
    *EXTRA_WEIGHTS,
    *UNUSED_WEIGHTS,
    Deviation("padding-left", "zeros stand before a text, not after it", _padding_left),
    Deviation(
        "lazy-rows",
        "an embedding's rows whose tokens are not in the batch are left out of the update",
        _lazy_rows,
    ),
)
