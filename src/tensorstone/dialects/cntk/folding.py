"""The model as CNTK's layers take it: activations inside layers, maps read without flattening."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse

# Functions of one argument, which layers take too.
FUNCTIONS = {
    "ReLU": "C.relu",
    "Tanh": "C.tanh",
    "Sigmoid": "C.sigmoid",
    "Softsign": "C.softsign",
    "Softplus": "C.softplus",
}


@dataclass(frozen=True)
class Folded:
    """A chain without what its layers do by themselves; layers are known by their path."""

    chain: Chain
    activations: dict[str, str]  # layers that apply one
    read_by_dense: frozenset[str]  # global pools whose maps of 1×1 a dense layer reads as they are


def fold(chain: Chain) -> Folded:
    """Fold activations and flattening into the layers around them."""
    folding = _Folding()
    return Folded(folding.chain(chain), folding.activations, frozenset(folding.read_by_dense))


def function(leaf: Leaf) -> str | None:
    """An activation as a function of one argument; None where more must be said, or for another."""
    layer = leaf.layer
    if isinstance(layer, L.LeakyReLU) and layer.slope == 0.01:
        return "C.leaky_relu"
    if isinstance(layer, L.Softmax) and len(leaf.inputs) == 1:
        return "C.softmax"
    return FUNCTIONS.get(layer.kind)


class _Folding:
    def __init__(self) -> None:
        self.activations: dict[str, str] = {}
        self.read_by_dense: set[str] = set()

    def chain(self, chain: Chain) -> Chain:
        parts: list[Placed] = []
        for part in chain.parts:
            self.add(part, parts)
        return replace(chain, parts=tuple(parts))

    def add(self, part: Placed, parts: list[Placed]) -> None:
        """Append the part, unless the one before it can do its work, or it that one's."""
        before = parts[-1] if parts and isinstance(parts[-1], Leaf) else None
        match part:
            case Leaf(layer=L.Flatten()) if len(part.inputs) == 1:
                pass
            case Leaf(layer=L.Dense()) if before and _flattens_map(before):
                parts[-1] = part
            case Leaf(layer=L.Dense()) if before and isinstance(before.layer, L.GlobalAvgPool2D):
                self.read_by_dense.add(before.path)
                parts.append(part)
            case Leaf() if before and self.takes(before) and (word := function(part)):
                self.activations[before.path] = word
            case Leaf():
                parts.append(part)
            case PlacedFork():
                parts.append(replace(part, chains=tuple(map(self.chain, part.chains))))
            case PlacedUse():
                parts.append(replace(part, body=self.chain(part.body)))

    def takes(self, leaf: Leaf) -> bool:
        """Whether the layer can be given an activation and has none yet."""
        return isinstance(leaf.layer, L.Conv2D | L.Dense) and leaf.path not in self.activations


def _flattens_map(leaf: Leaf) -> bool:
    return isinstance(leaf.layer, L.Flatten) and len(leaf.inputs) == 3
