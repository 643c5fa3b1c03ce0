"""The model as CNTK's layers take it: activations inside layers, maps read without flattening."""

from __future__ import annotations

from tensorstone.dialects.shared.folding import Folding
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed

# Functions of one argument, which layers take too.
FUNCTIONS = {
    "ReLU": "C.relu",
    "Tanh": "C.tanh",
    "Sigmoid": "C.sigmoid",
    "Softsign": "C.softsign",
    "Softplus": "C.softplus",
    "SiLU": "silu",
}

# What CNTK has no function for.
HELPERS = {"silu": "def silu(x):\n    return x * C.sigmoid(x)"}


def function(leaf: Leaf) -> str | None:
    """An activation as a function of one argument; None where more must be said, or for another."""
    layer = leaf.layer
    if isinstance(layer, L.LeakyReLU) and layer.slope == 0.01:
        return "C.leaky_relu"
    if isinstance(layer, L.Softmax) and len(leaf.inputs) == 1:
        return "C.softmax"
    return FUNCTIONS.get(layer.kind)


class CntkFolding(Folding):
    """`read_by_dense`: global pools whose maps of 1×1 a dense layer reads as they are."""

    def __init__(self, chain: Chain) -> None:
        self.read_by_dense: set[str] = set()
        super().__init__(chain)

    def absorbed(self, leaf: Leaf, parts: list[Placed], before: Leaf | None) -> bool:
        match leaf.layer:
            case L.Flatten() if len(leaf.inputs) == 1:
                return True
            case L.Dense() if before and _flattens_map(before):
                parts.pop()
            case L.Dense() if before and isinstance(before.layer, L.GlobalAvgPool2D):
                self.read_by_dense.add(before.path)
            case _ if before and self.takes_activation(before) and (name := function(leaf)):
                self.activations[before.path] = name
                return True
        return False


def _flattens_map(leaf: Leaf) -> bool:
    return isinstance(leaf.layer, L.Flatten) and len(leaf.inputs) == 3
