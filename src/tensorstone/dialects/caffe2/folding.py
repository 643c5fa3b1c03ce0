"""What Caffe2's users leave out or do in place."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse

# Their gradients ask for the output alone, so the input may be written over.
OVERWRITING = (L.ReLU, L.Tanh, L.Sigmoid)
# Theirs do not ask for it.
OVERWRITTEN = (L.Conv2D, L.Dense, L.BatchNorm)


def without_flattening(chain: Chain) -> Chain:
    """The chain without each Flatten that a Dense layer follows: FC flattens what it reads."""
    parts: list[Placed] = []
    for part in chain.parts:
        last = parts[-1].layer if parts and isinstance(parts[-1], Leaf) else None
        match part:
            case Leaf(layer=L.Dense()) if isinstance(last, L.Flatten):
                parts[-1] = part
            case Leaf():
                parts.append(part)
            case PlacedFork():
                parts.append(replace(part, chains=tuple(map(without_flattening, part.chains))))
            case PlacedUse():
                parts.append(replace(part, body=without_flattening(part.body)))
    return replace(chain, parts=tuple(parts))


def flattening(chain: Chain) -> list[str]:
    """The names of the chain's own Dense layers that a Flatten stands before."""
    leaves = [part if isinstance(part, Leaf) else None for part in chain.parts]
    return [
        leaf.name
        for before, leaf in pairwise(leaves)
        if before and isinstance(before.layer, L.Flatten)
        if leaf and isinstance(leaf.layer, L.Dense)
    ]


def in_place(chain: Chain) -> set[str]:
    """The paths of activations that may write over what they read, which nothing else reads."""
    found: set[str] = set()
    before: Placed | None = None
    for part in chain.parts:
        match part:
            case Leaf() if isinstance(part.layer, OVERWRITING):
                if isinstance(before, Leaf) and isinstance(before.layer, OVERWRITTEN):
                    found.add(part.path)
            case PlacedFork():
                found |= set().union(*map(in_place, part.chains))
            case PlacedUse():
                found |= in_place(part.body)
        before = part
    return found
