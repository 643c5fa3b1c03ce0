"""Layers that read one another directly, where other frameworks need a call between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse


@dataclass(frozen=True)
class ChainerFolding:
    """Layers known by their path."""

    # A Flatten whose work the Linear after it does itself, and that Linear.
    flattened: frozenset[str]
    flattening: frozenset[str]
    # A recurrent layer whose list of sequences stays one, and the recurrent layer that reads it.
    listed: frozenset[str]
    reading_list: frozenset[str]


def fold(chain: Chain) -> ChainerFolding:
    """What the layers of a model can leave out for each other."""
    pairs = list(_pairs(chain))
    flat = [pair for pair in pairs if _are(pair, L.Flatten, L.Dense)]
    lists = [pair for pair in pairs if _are(pair, R.Recurrent, R.Recurrent)]
    return ChainerFolding(
        flattened=frozenset(one.path for one, _ in flat),
        flattening=frozenset(other.path for _, other in flat),
        listed=frozenset(one.path for one, _ in lists),
        reading_list=frozenset(other.path for _, other in lists),
    )


def _pairs(chain: Chain) -> Iterator[tuple[Leaf, Leaf]]:
    for one, other in pairwise(chain.parts):
        if isinstance(one, Leaf) and isinstance(other, Leaf):
            yield one, other
    for part in chain.parts:
        match part:
            case PlacedFork():
                for path in part.chains:
                    yield from _pairs(path)
            case PlacedUse():
                yield from _pairs(part.body)


def _are(pair: tuple[Leaf, Leaf], one: type[L.Layer], other: type[L.Layer]) -> bool:
    return isinstance(pair[0].layer, one) and isinstance(pair[1].layer, other)
