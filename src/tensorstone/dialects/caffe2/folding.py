"""The model as Caffe2's operators take it: no Flatten before FC, activations in place."""

from __future__ import annotations

from itertools import pairwise

from tensorstone.dialects.shared.folding import Folding
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse

# Their gradients ask for the output alone, so the input may be written over.
OVERWRITING = (L.ReLU, L.Tanh, L.Sigmoid)
# Theirs do not ask for it.
OVERWRITTEN = (L.Conv2D, L.Dense, L.BatchNorm)


class Caffe2Folding(Folding):
    """Without each Flatten that a Dense layer follows: FC flattens what it reads."""

    def absorbed(self, leaf: Leaf, parts: list[Placed], before: Leaf | None) -> bool:
        if before and isinstance(before.layer, L.Flatten) and isinstance(leaf.layer, L.Dense):
            parts.pop()
        return False


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
