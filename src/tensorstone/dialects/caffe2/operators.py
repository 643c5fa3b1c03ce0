"""Caffe2's operators for activations, and the arguments of windows."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.functions import no_way
from tensorstone.dialects.shared.writing import number
from tensorstone.models import layers as L
from tensorstone.models.placed import Leaf

OPERATORS = {
    "ReLU": "brew.relu(model, {x}, {name})",
    "Tanh": "brew.tanh(model, {x}, {name})",
    "Sigmoid": "model.net.Sigmoid({x}, {name})",
    "Softsign": "model.net.Softsign({x}, {name})",
    "Softplus": "model.net.Softplus({x}, {name})",
    "GELU": "model.net.Gelu({x}, {name})",
    "SiLU": "model.net.Swish({x}, {name})",
    "Softmax": "brew.softmax(model, {x}, {name})",
}


def activation(leaf: Leaf, x: str, name: str) -> str:
    """An activation of the blob `x`, written to the blob `name`."""
    layer = leaf.layer
    if isinstance(layer, L.LeakyReLU):
        return f"model.net.LeakyRelu({x}, {name}, alpha={number(layer.slope)})"
    if isinstance(layer, L.Softmax) and len(leaf.inputs) > 1:
        raise Unsupported(f"{leaf.name}: Caffe2's Softmax takes all axes but the batch as one")
    if layer.kind not in OPERATORS:
        raise no_way(leaf, "Caffe2")
    return OPERATORS[layer.kind].format(x=x, name=name)


def window(layer: L.Conv2D | L.MaxPool2D | L.AvgPool2D, lists: bool = False) -> dict[str, str]:
    """Kernel, stride and padding; `lists`: a kernel that is not square is a list (brew.conv)."""
    assert isinstance(layer.kernel, tuple) and isinstance(layer.padding, tuple)
    arguments = _axes("kernel", layer.kernel)
    if lists and len(arguments) > 1:
        arguments = {"kernel": f"[{', '.join(arguments.values())}]"}
    if layer.stride != (1, 1):
        arguments |= _axes("stride", layer.stride)
    (top, bottom), (left, right) = layer.padding  # type: ignore[misc]
    if top == bottom == left == right:
        return arguments | ({"pad": number(top)} if top else {})
    sides = {"pad_t": top, "pad_l": left, "pad_b": bottom, "pad_r": right}
    return arguments | {side: number(size) for side, size in sides.items()}


def _axes(word: str, pair: object) -> dict[str, str]:
    """`kernel=3`, or `kernel_h=3, kernel_w=5`."""
    assert isinstance(pair, tuple)
    height, width = map(number, pair)
    if height == width:
        return {word: height}
    return {f"{word}_h": height, f"{word}_w": width}
