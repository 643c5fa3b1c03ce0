"""The model as Lasagne's layers take it: nonlinearities inside layers, flattening left to dense."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.writing import number
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse

NONLINEARITIES = {
    "ReLU": "rectify",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softmax": "softmax",
    "Softplus": "T.nnet.softplus",
    "Softsign": "T.nnet.softsign",
    "GELU": "gelu",
}
PROBABILITIES = {"softmax-cross-entropy": L.Softmax(), "binary-cross-entropy": L.Sigmoid()}


@dataclass(frozen=True)
class Folded:
    """A chain without what its layers do by themselves; layers are known by their path."""

    chain: Chain
    nonlinearities: dict[str, str]  # layers that end in one
    flattening: bool  # whether a dense layer reads a map or a sequence


def fold(chain: Chain, loss: str) -> Folded:
    """Fold nonlinearities and flattening into layers, after the loss's own nonlinearity is added.

    Lasagne's cross-entropies read probabilities. (Theano sees through them when it compiles: no
    logarithm of a rounded probability is taken.)
    """
    if loss in PROBABILITIES:
        last = Leaf(PROBABILITIES[loss], "outputs", "outputs", chain.outputs, chain.outputs, ())
        chain = replace(chain, parts=(*chain.parts, last))
    folding = _Folding()
    return Folded(folding.chain(chain), folding.nonlinearities, folding.flattening)


def nonlinearity(leaf: Leaf) -> str | None:
    """What Lasagne calls an activation; None for any other layer."""
    layer = leaf.layer
    if isinstance(layer, L.LeakyReLU):
        return "leaky_rectify" if layer.slope == 0.01 else f"LeakyRectify({number(layer.slope)})"
    if isinstance(layer, L.Softmax) and len(leaf.inputs) != 1:
        raise Unsupported(f"{leaf.name}: Theano's softmax reads a matrix, one row for each sample")
    return NONLINEARITIES.get(layer.kind)


class _Folding:
    def __init__(self) -> None:
        self.nonlinearities: dict[str, str] = {}
        self.flattening = False

    def chain(self, chain: Chain) -> Chain:
        parts: list[Placed] = []
        for part in chain.parts:
            self.add(part, parts)
        return replace(chain, parts=tuple(parts))

    def add(self, part: Placed, parts: list[Placed]) -> None:
        """Append the part, unless the one before it can do its work, or it that one's."""
        before = parts[-1] if parts and isinstance(parts[-1], Leaf) else None
        match part:
            case Leaf(layer=L.Dense()) if before and isinstance(before.layer, L.Flatten):
                parts[-1] = part
                self.flattening = self.flattening or len(before.inputs) > 1
            case Leaf() if before and self.takes(before) and (word := nonlinearity(part)):
                self.nonlinearities[before.path] = word
            case Leaf():
                parts.append(part)
            case PlacedFork():
                parts.append(replace(part, chains=tuple(map(self.chain, part.chains))))
            case PlacedUse():
                parts.append(replace(part, body=self.chain(part.body)))

    def takes(self, leaf: Leaf) -> bool:
        """Whether the layer can be given a nonlinearity and has none yet."""
        return isinstance(leaf.layer, L.Conv2D | L.Dense) and leaf.path not in self.nonlinearities
