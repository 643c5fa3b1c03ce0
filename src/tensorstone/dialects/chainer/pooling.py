"""Chainer's pooling, and for padding whose sides differ."""

from __future__ import annotations

from typing import Any

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import call, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models.named import plain
from tensorstone.models.placed import Leaf

Pool = L.MaxPool2D | L.AvgPool2D


def maximum(leaf: Leaf, layer: L.MaxPool2D, x: str) -> str:
    """The largest value; a window that would hang over the edge is left out."""
    return _pool("F.max_pooling_2d", layer, x, "-np.inf", "False" if _hangs_over(leaf) else None)


def average(leaf: Leaf, layer: L.AvgPool2D, x: str) -> str:
    """The mean; where padding does not count in it, by a function of the program's own."""
    if layer.count_padding or layer.padding == ((0, 0), (0, 0)):
        return _pool("F.average_pooling_2d", layer, x, "0")
    if symmetric(layer.padding) is None:
        raise Unsupported(messages.padding_in_mean(leaf.name, "average pooling"))
    return _pool("average_pooling_inside", layer, x, "0")


def padded(x: str, padding: object, fill: str = "0") -> str:
    """The map with these sides around it; axes are sample, channel, height, width."""
    assert isinstance(padding, tuple)
    sides = ", ".join(str(tuple(plain(n) for n in pair)) for pair in padding)
    value = unless("0", fill, fill)
    return call("F.pad", x, f"((0, 0), (0, 0), {sides})", '"constant"', constant_values=value)


def _pool(function: str, layer: Pool, x: str, fill: str, cover_all: str | None = None) -> str:
    padding = symmetric(layer.padding)
    if padding is None:
        x, padding = padded(x, layer.padding, fill), (0, 0)
    return call(
        function,
        x,
        _plain(layer.kernel),
        stride=unless(layer.kernel, layer.stride, _plain(layer.stride)),
        pad=unless((0, 0), padding, _plain(padding)),
        cover_all=cover_all,
    )


def _hangs_over(leaf: Leaf) -> bool:
    """Whether a last window is only partly on the map: Chainer's maximum would take it."""
    given: dict[str, Any] = leaf.layer.settings()
    axes = zip(leaf.inputs[1:], given["padding"], given["kernel"], given["stride"], strict=True)
    return any((length + sum(sides) - kernel) % step for length, sides, kernel, step in axes)


def _plain(numbers: object) -> str:
    """`forward` does not see a block's parameters, so its numbers stand for themselves."""
    assert isinstance(numbers, tuple)
    return size(tuple(plain(n) for n in numbers))
