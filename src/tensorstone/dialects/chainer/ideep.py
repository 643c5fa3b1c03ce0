"""What iDeep computes wrongly, written so that NumPy computes it.

iDeep seeds its dropout with the clock's seconds, and multiplies its arrays as they lie in memory:
in the blocked layouts of maps whose channels are a multiple of eight, next to a NumPy array or to
one laid out otherwise, a product is wrong.
"""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models import layers as L
from tensorstone.models.placed import Leaf

# Activations that iDeep has no word for, whose values or gradients Chainer computes as products.
PRODUCTS = {
    "Tanh": "F.tanh",
    "Sigmoid": "F.sigmoid",
    "Softsign": "softsign",
    "Softplus": "F.softplus",
    "GELU": "gelu",
    "SiLU": "silu",
    "Softmax": "F.softmax",
}


def in_numpy(leaf: Leaf, x: str) -> str | None:
    """The layer by way of NumPy's device; None for one that iDeep computes rightly."""
    layer = leaf.layer
    if isinstance(layer, L.Dropout):
        ratio = unless(0.5, layer.rate, number(layer.rate))
        return call("in_numpy", "F.dropout", x, ratio=ratio)
    if len(leaf.inputs) == 3 and layer.kind in PRODUCTS:
        return f"in_numpy({PRODUCTS[layer.kind]}, {x})"
    return None
