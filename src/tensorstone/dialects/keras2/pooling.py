"""Keras 2's pooling: it pads by itself only so much as keeps the size."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.keras2.construction import Construction
from tensorstone.dialects.keras2.padding import keeps_size, padded, sides
from tensorstone.dialects.shared.writing import call, size, unless
from tensorstone.models import layers as L
from tensorstone.models.placed import Leaf

THINNED = "# Keras would pad strided pooling differently: pool with stride 1, then take every n-th."


def maximum(leaf: Leaf, layer: L.MaxPool2D, backend: str) -> list[Construction]:
    return _padding_left_out(leaf, "layers.MaxPooling2D", layer, backend)


def average(leaf: Leaf, layer: L.AvgPool2D, backend: str) -> list[Construction]:
    if padded(layer) and layer.count_padding:
        pad = Construction(f"layers.ZeroPadding2D({sides(layer)})")
        return [pad, Construction(_pool("layers.AveragePooling2D", layer))]
    if padded(layer) and backend == "mxnet":
        raise Unsupported(f"{leaf.path}: Keras on MXNet counts the zeros of its padding in means")
    return _padding_left_out(leaf, "layers.AveragePooling2D", layer, backend)


def _padding_left_out(
    leaf: Leaf, name: str, layer: L.MaxPool2D | L.AvgPool2D, backend: str
) -> list[Construction]:
    """Pooling whose padding neither wins a maximum nor counts in a mean: "same" does that."""
    if not padded(layer):
        return [Construction(_pool(name, layer))]
    if not keeps_size(layer):
        raise Unsupported(
            f"{leaf.path}: Keras 2 pads pooling only by half the window, and zeros put before it "
            "would count"
        )
    if backend == "theano" and not {1, 3}.issuperset(layer.kernel):  # type: ignore[arg-type]
        raise Unsupported(
            f"{leaf.path}: Keras on Theano pads a window of k by k - 2: half of it only for 3"
        )
    everywhere = call(name, size(layer.kernel), strides="1", padding='"same"')
    if layer.stride == (1, 1):
        return [Construction(everywhere)]
    return [
        Construction(everywhere, note=THINNED),
        Construction(call("layers.MaxPooling2D", "1", strides=size(layer.stride))),
    ]


def _pool(name: str, layer: L.MaxPool2D | L.AvgPool2D) -> str:
    strides = unless(layer.kernel, layer.stride, size(layer.stride))
    return call(name, size(layer.kernel), strides=strides)
