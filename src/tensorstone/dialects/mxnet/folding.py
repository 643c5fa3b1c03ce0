"""The model as MXNet's layers take it: activations inside layers, flattening left to Dense."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse

# The operator Activation's names, which Conv2D and Dense take too.
ACT_TYPES = {
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Softplus": "softrelu",
}


@dataclass(frozen=True)
class Folded:
    """A chain without what its layers do by themselves; layers are known by their path."""

    chain: Chain
    activations: dict[str, str]  # layers that apply an activation
    flattening: tuple[str, ...]  # Dense layers that read a map or a sequence


def fold(chain: Chain, activations: bool) -> Folded:
    """Fold flattening into Dense and, where wanted, activations into the layers before them."""
    folding = _Folding(activations)
    return Folded(folding.chain(chain), folding.activations, tuple(folding.flattening))


class _Folding:
    def __init__(self, absorb: bool) -> None:
        self.absorb = absorb
        self.activations: dict[str, str] = {}
        self.flattening: list[str] = []

    def chain(self, chain: Chain) -> Chain:
        parts: list[Placed] = []
        for part in chain.parts:
            self.add(part, parts)
        parts += _still_map(parts)
        return replace(chain, parts=tuple(parts))

    def add(self, part: Placed, parts: list[Placed]) -> None:
        """Append the part, unless the one before it can do its work, or it that one's."""
        before = parts[-1] if parts and isinstance(parts[-1], Leaf) else None
        match part:
            case Leaf(layer=L.Dense()) if before and _makes_vector(before):
                if isinstance(before.layer, L.Flatten):
                    parts.pop()
                self.flattening.append(part.path)
                parts.append(part)
                return
            case Leaf(layer=L.Flatten()):
                parts.append(part)
                return
            case Leaf() if before and self.absorbs(before, part):
                self.activations[before.path] = ACT_TYPES[part.layer.kind]
                return
        parts += _still_map(parts)
        match part:
            case Leaf():
                parts.append(part)
            case PlacedFork():
                parts.append(replace(part, chains=tuple(map(self.chain, part.chains))))
            case PlacedUse():
                parts.append(replace(part, body=self.chain(part.body)))

    def absorbs(self, before: Leaf, activation: Leaf) -> bool:
        return (
            self.absorb
            and isinstance(before.layer, L.Conv2D | L.Dense)
            and before.path not in self.activations
            and activation.layer.kind in ACT_TYPES
        )


def _makes_vector(leaf: Leaf) -> bool:
    return len(leaf.inputs) > 1 and isinstance(leaf.layer, L.Flatten | L.GlobalAvgPool2D)


def _still_map(parts: list[Placed]) -> list[Placed]:
    """MXNet's global pooling leaves maps of 1×1: the Flatten that makes the vector of them."""
    last = parts[-1] if parts else None
    if isinstance(last, Leaf) and isinstance(last.layer, L.GlobalAvgPool2D):
        return [replace(last, layer=L.Flatten(), inputs=(last.outputs[0], 1, 1))]
    return []
