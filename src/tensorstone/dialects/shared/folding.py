"""Layers that take over the work of their neighbour: activations as arguments, no Flatten."""

from __future__ import annotations

from dataclasses import replace

from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse


class Folding:
    """A chain (`chain`) without the layers that another one stands for.

    A room's subclass says in `absorbed` which those are, and keeps what it needs to know of the
    layers that took them over, by their path.
    """

    def __init__(self, chain: Chain) -> None:
        self.activations: dict[str, str] = {}  # the argument of layers that apply an activation
        self.chain = self.folded(chain)

    def absorbed(self, leaf: Leaf, parts: list[Placed], before: Leaf | None) -> bool:
        """Whether the leaf needs no place of its own after these `parts`, which it may change.

        `before` is the last of them if it is a layer.
        """
        raise NotImplementedError

    def folded(self, chain: Chain) -> Chain:
        parts: list[Placed] = []
        for part in chain.parts:
            self.add(part, parts)
        return replace(chain, parts=tuple(parts))

    def add(self, part: Placed, parts: list[Placed]) -> None:
        match part:
            case Leaf():
                before = parts[-1] if parts and isinstance(parts[-1], Leaf) else None
                if not self.absorbed(part, parts, before):
                    parts.append(part)
            case PlacedFork():
                parts.append(replace(part, chains=tuple(map(self.folded, part.chains))))
            case PlacedUse():
                parts.append(replace(part, body=self.folded(part.body)))

    def takes_activation(self, leaf: Leaf | None) -> bool:
        """Whether the layer can be given an activation and has none yet."""
        return (
            leaf is not None
            and isinstance(leaf.layer, L.Conv2D | L.Dense)
            and leaf.path not in self.activations
        )
