"""Padding: when Keras's "same" is what the model says, and how to say it otherwise."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import size, symmetric
from tensorstone.models import layers as L

Padded = L.Conv2D | L.MaxPool2D | L.AvgPool2D


def padded(layer: Padded) -> bool:
    return layer.padding != ((0, 0), (0, 0))


def keeps_size(layer: Padded) -> bool:
    """Whether the padding is half an odd kernel: what "same" means on every backend.

    Only without strides, and an even kernel's odd zero stands before the map on some.
    """
    half = tuple((k - 1) / 2 for k in layer.kernel)  # type: ignore[union-attr]
    return padded(layer) and symmetric(layer.padding) == half


def sides(layer: L.Conv2D | L.AvgPool2D) -> str:
    """As ZeroPadding2D takes it: 1, (1, 2), or ((top, bottom), (left, right))."""
    both = symmetric(layer.padding)
    if both:
        return size(both)
    rows, columns = (f"({first}, {last})" for first, last in layer.padding)  # type: ignore
    return f"({rows}, {columns})"
