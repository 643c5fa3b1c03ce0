"""Activations inside the layers before them, as Keras's users write them."""

from __future__ import annotations

from tensorstone.dialects.shared.folding import Folding
from tensorstone.models import layers as L
from tensorstone.models.placed import Leaf, Placed

NAMES = {
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Softplus": "softplus",
    "Softmax": "softmax",
}


class Keras2Folding(Folding):
    def absorbed(self, leaf: Leaf, parts: list[Placed], before: Leaf | None) -> bool:
        # Keras takes a softmax along the last axis, and a map's channels are its first.
        of_maps = isinstance(leaf.layer, L.Softmax) and len(leaf.inputs) == 3
        if before and self.takes_activation(before) and leaf.layer.kind in NAMES and not of_maps:
            self.activations[before.path] = NAMES[leaf.layer.kind]
            return True
        return False
