"""Activations inside the layers before them, as Keras's users write them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse

NAMES = {
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Softplus": "softplus",
    "Softmax": "softmax",
}


@dataclass(frozen=True)
class Folded:
    """A chain without the activations that its layers apply; layers are known by their path."""

    chain: Chain
    activations: dict[str, str]


@dataclass
class _Folding:
    activations: dict[str, str] = field(default_factory=dict)

    def chain(self, chain: Chain) -> Chain:
        parts: list[Placed] = []
        for part in chain.parts:
            match part:
                case Leaf() if parts and self.absorbs(parts[-1], part):
                    self.activations[parts[-1].path] = NAMES[part.layer.kind]
                case Leaf():
                    parts.append(part)
                case PlacedFork():
                    parts.append(replace(part, chains=tuple(map(self.chain, part.chains))))
                case PlacedUse():
                    parts.append(replace(part, body=self.chain(part.body)))
        return replace(chain, parts=tuple(parts))

    def absorbs(self, before: Placed, activation: Leaf) -> bool:
        return (
            isinstance(before, Leaf)
            and isinstance(before.layer, L.Conv2D | L.Dense)
            and before.path not in self.activations
            and activation.layer.kind in NAMES
            # Keras takes a softmax along the last axis, and a map's channels are its first.
            and not (isinstance(activation.layer, L.Softmax) and len(activation.inputs) == 3)
        )


def fold(chain: Chain) -> Folded:
    """The chain with activations given to the layers that take them."""
    folding = _Folding()
    return Folded(folding.chain(chain), folding.activations)
