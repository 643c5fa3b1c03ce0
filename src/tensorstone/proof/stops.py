"""The models that end at each layer of one part: of a fork's paths, of a block's body.

A layer keeps its name and its arrays theirs, whatever is left out around it. What stands in a
block stays in it, as a block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tensorstone.models import layers as L
from tensorstone.models.placed import Leaf, Placed, PlacedFork, PlacedUse
from tensorstone.models.structure import BlockUse, Fork, Part, Sequential


@dataclass(frozen=True)
class Stop:
    """The parts up to a layer or a join, in the order in which what they read is computed."""

    path: str
    parts: tuple[Part, ...]


def stops(part: Part, placed: Placed) -> Iterator[Stop]:
    """A join comes after its paths, so the first stop that is wrong is wrong by itself."""
    match part, placed:
        case Fork(), PlacedFork():
            for body, chain in zip(part.paths, placed.chains, strict=True):
                yield from _along(body, chain.parts)
            yield Stop(placed.path, (named(part, placed),))
        case BlockUse(), PlacedUse():
            for stop in _along(part.body, placed.body.parts):
                # Other uses of the block are whole: this is another block.
                short = replace(
                    part, block=f"{part.block}_part", body=Sequential(*stop.parts), name=placed.name
                )
                yield Stop(stop.path, (short,))
        case _:
            yield Stop(placed.path, (named(part, placed),))


def _along(body: Sequential, chain: tuple[Placed, ...]) -> Iterator[Stop]:
    done: tuple[Part, ...] = ()
    for part, placed in zip(body.parts, chain, strict=True):
        for stop in stops(part, placed):
            yield Stop(stop.path, (*done, *stop.parts))
        done = (*done, named(part, placed))


def named(part: Part, placed: Placed) -> Part:
    """The same with the names it has in the model."""
    match part, placed:
        case Fork(), PlacedFork():
            paths = tuple(
                Sequential(*map(named, body.parts, chain.parts))
                for body, chain in zip(part.paths, placed.chains, strict=True)
            )
            return replace(part, paths=paths, name=placed.name)
        case BlockUse(), PlacedUse():
            return replace(part, name=placed.name)
        case L.Layer(), Leaf():
            return replace(part, name=placed.name)
    return part
