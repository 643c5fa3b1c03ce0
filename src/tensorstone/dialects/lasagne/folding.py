"""The model as Lasagne's layers take it: nonlinearities inside layers, flattening left to dense."""

from __future__ import annotations

from dataclasses import replace

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.folding import Folding
from tensorstone.dialects.shared.writing import number
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed

NONLINEARITIES = {
    "ReLU": "rectify",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softmax": "softmax",
    "Softplus": "T.nnet.softplus",
    "Softsign": "T.nnet.softsign",
    "GELU": "gelu",
    "SiLU": "silu",
}
PROBABILITIES = {"softmax-cross-entropy": L.Softmax(), "binary-cross-entropy": L.Sigmoid()}


def with_outputs(chain: Chain, loss: str) -> Chain:
    """The chain with the loss's own nonlinearity at its end.

    Lasagne's cross-entropies read probabilities. (Theano sees through them when it compiles: no
    logarithm of a rounded probability is taken.)
    """
    if loss not in PROBABILITIES:
        return chain
    last = Leaf(PROBABILITIES[loss], "outputs", "outputs", chain.outputs, chain.outputs, ())
    return replace(chain, parts=(*chain.parts, last))


def nonlinearity(leaf: Leaf) -> str | None:
    """What Lasagne calls an activation; None for any other layer."""
    layer = leaf.layer
    if isinstance(layer, L.LeakyReLU):
        return "leaky_rectify" if layer.slope == 0.01 else f"LeakyRectify({number(layer.slope)})"
    if isinstance(layer, L.Softmax) and len(leaf.inputs) != 1:
        raise Unsupported(f"{leaf.name}: Theano's softmax reads a matrix, one row for each sample")
    return NONLINEARITIES.get(layer.kind)


class LasagneFolding(Folding):
    """`flattening`: whether a dense layer reads a map or a sequence."""

    def __init__(self, chain: Chain, loss: str) -> None:
        self.flattening = False
        super().__init__(with_outputs(chain, loss))

    def absorbed(self, leaf: Leaf, parts: list[Placed], before: Leaf | None) -> bool:
        match leaf.layer:
            case L.Dense() if before and isinstance(before.layer, L.Flatten):
                parts.pop()
                self.flattening = self.flattening or len(before.inputs) > 1
            case _ if before and self.takes_activation(before) and (name := nonlinearity(leaf)):
                self.activations[before.path] = name
                return True
        return False
