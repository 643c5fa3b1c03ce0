"""The model as MXNet's layers take it: activations inside layers, flattening left to Dense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tensorstone.dialects.shared.folding import Folding
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, Placed

# The operator Activation's names, which Conv2D and Dense take too.
ACT_TYPES = {
    "ReLU": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Softplus": "softrelu",
}


class MXNetFolding(Folding):
    """`flattening`: Dense layers that read a map or a sequence. Activations are folded if
    `activated`."""

    def __init__(self, chain: Chain, activated: bool) -> None:
        self.activated = activated
        self.flattening: list[str] = []
        super().__init__(chain)

    def folded(self, chain: Chain) -> Chain:
        folded = super().folded(chain)
        return replace(folded, parts=(*folded.parts, *_still_map(folded.parts)))

    def add(self, part: Placed, parts: list[Placed]) -> None:
        reads_maps = isinstance(part, Leaf) and isinstance(part.layer, L.Dense | L.Flatten)
        if not reads_maps:
            parts += _still_map(parts)
        super().add(part, parts)

    def absorbed(self, leaf: Leaf, parts: list[Placed], before: Leaf | None) -> bool:
        match leaf.layer:
            case L.Dense() if before and _makes_vector(before):
                if isinstance(before.layer, L.Flatten):
                    parts.pop()
                self.flattening.append(leaf.path)
            case _ if before and self.activated and self.takes_activation(before):
                if leaf.layer.kind in ACT_TYPES:
                    self.activations[before.path] = ACT_TYPES[leaf.layer.kind]
                    return True
        return False


def _makes_vector(leaf: Leaf) -> bool:
    return len(leaf.inputs) > 1 and isinstance(leaf.layer, L.Flatten | L.GlobalAvgPool2D)


def _still_map(parts: Sequence[Placed]) -> list[Placed]:
    """MXNet's global pooling leaves maps of 1×1: the Flatten that makes the vector of them."""
    last = parts[-1] if parts else None
    if isinstance(last, Leaf) and isinstance(last.layer, L.GlobalAvgPool2D):
        return [replace(last, layer=L.Flatten(), inputs=(last.outputs[0], 1, 1))]
    return []
