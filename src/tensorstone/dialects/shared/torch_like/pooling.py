"""Pooling functions, and padding that they do not take themselves."""

from __future__ import annotations

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.functions import unnamed
from tensorstone.dialects.shared.writing import call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models.named import plain

Pool = L.MaxPool2D | L.AvgPool2D


def maximum(layer: L.MaxPool2D, x: str) -> str:
    """The maximum; padding that the function does not take is put around the map first."""
    return _pool("F.max_pool2d", layer, x, fill='float("-inf")')


def average(name: str, layer: L.AvgPool2D, x: str) -> str:
    """The mean, padding counted or left out of it."""
    if layer.padding != ((0, 0), (0, 0)) and not layer.count_padding:
        if poolable(layer) is None:
            raise Unsupported(messages.much_padding_in_mean(name, "avg_pool2d"))
        return _pool("F.avg_pool2d", layer, x, "0", count_include_pad="False")
    return _pool("F.avg_pool2d", layer, x, fill="0")


def poolable(layer: Pool) -> tuple[int, int] | None:
    """The padding as pooling takes it: symmetric, at most half the kernel."""
    padding = symmetric(layer.padding)
    assert isinstance(layer.kernel, tuple)
    if padding is None or any(2 * p > k for p, k in zip(padding, layer.kernel, strict=True)):
        return None
    return padding


def padded(x: str, padding: object, fill: str = "0", functions: str = "F") -> str:
    """`pad` counts sides from the last axis backwards: left, right, top, bottom."""
    assert isinstance(padding, tuple)
    (top, bottom), (left, right) = padding
    sides = ", ".join(number(plain(n)) for n in (left, right, top, bottom))
    return call(f"{functions}.pad", x, f"({sides})", value=unless("0", fill, fill))


def _pool(function: str, layer: Pool, x: str, fill: str, **more: str) -> str:
    padding = poolable(layer)
    if padding is None:
        x, padding = padded(x, layer.padding, fill), (0, 0)
    return call(
        function,
        x,
        size(unnamed(layer.kernel)),
        stride=unless(layer.kernel, layer.stride, size(unnamed(layer.stride))),
        padding=unless((0, 0), padding, size(unnamed(padding))),
        **more,
    )
