"""Where Keras's "same" says a padding, and where it must be said otherwise."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import symmetric
from tensorstone.models import layers as L

Windowed = L.Conv2D | L.MaxPool2D | L.AvgPool2D


def keeps_size(layer: Windowed) -> bool:
    """Whether the padding is what "same" means: kernel − 1 in all, the odd one at the end.

    Only without strides: with them "same" depends on the input's size too.
    """
    sides: tuple[tuple[int, int], ...] = layer.padding  # type: ignore[assignment]
    kernel: tuple[int, int] = layer.kernel  # type: ignore[assignment]
    asked = all(pair == ((k - 1) // 2, k // 2) for pair, k in zip(sides, kernel, strict=True))
    return asked and layer.stride == (1, 1) and padded(layer)


def padded(layer: Windowed) -> bool:
    """Whether it has any padding."""
    return layer.padding != ((0, 0), (0, 0))


def half_kernel(layer: L.Conv2D) -> bool:
    """Whether the padding is what would keep the size, were there no strides."""
    half = tuple((k - 1) // 2 for k in layer.kernel)  # type: ignore[union-attr]
    return symmetric(layer.padding) == half


def averages_apart(layer: L.Layer, backend: str) -> bool:
    """Whether padding must be left out of a mean where "same" does not say so.

    On torch, where the sides differ, "same" repeats the map's edge and counts it in the mean. Under
    two values that makes no difference: one of them is the edge.
    """
    if not isinstance(layer, L.AvgPool2D) or layer.count_padding or not padded(layer):
        return False
    repeats = backend == "torch" and not symmetric(layer.padding)
    return not keeps_size(layer) or (repeats and max(layer.kernel) > 2)  # type: ignore[arg-type]
