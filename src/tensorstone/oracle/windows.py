"""A kernel's window over padded maps: how many positions it takes, and what each sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from tensorstone.models.layers import AvgPool2D, Conv2D, MaxPool2D, Pair, Sides


@dataclass(frozen=True)
class Window:
    """A kernel that slides over maps of one size."""

    kernel: Pair
    stride: Pair
    sides: Sides  # padding
    size: Pair  # of the map
    out: Pair  # how many windows there are

    @property
    def positions(self) -> list[Pair]:
        """Every position inside the kernel, row by row."""
        return [(i, j) for i in range(self.kernel[0]) for j in range(self.kernel[1])]

    def tap(self, padded: np.ndarray, at: Pair) -> np.ndarray:
        """What the kernel's position `at` sees while the kernel slides, as a view."""
        rows, columns = (
            slice(first, first + step * (count - 1) + 1, step)
            for first, step, count in zip(at, self.stride, self.out, strict=True)
        )
        return padded[..., rows, columns]

    @property
    def border(self) -> Sides:
        """The padding, and what the last windows reach beyond it when sizes are rounded up."""
        rows, columns = (
            (before, max(after, (count - 1) * step + kernel - n - before))
            for (before, after), count, step, kernel, n in zip(
                self.sides, self.out, self.stride, self.kernel, self.size, strict=True
            )
        )
        return rows, columns

    def pad(self, x: np.ndarray, value: float = 0.0) -> np.ndarray:
        """The maps `x` with a border wide enough for every window; `x` itself if it needs none."""
        (top, bottom), (left, right) = self.border
        if not (top or bottom or left or right):
            return x
        *lead, high, wide = x.shape
        padded = np.full((*lead, high + top + bottom, wide + left + right), value, x.dtype)
        self.crop(padded)[...] = x
        return padded

    def crop(self, padded: np.ndarray) -> np.ndarray:
        """The map inside its border, as a view."""
        (top, _), (left, _) = self.sides
        return padded[..., top : top + self.size[0], left : left + self.size[1]]


def window(layer: Conv2D | MaxPool2D | AvgPool2D, quirks: frozenset[str], x: np.ndarray) -> Window:
    """The layer's window over the maps `x`."""
    # Layers normalise these when they are made.
    kernel, stride = cast(Pair, layer.kernel), cast(Pair, layer.stride)
    sides = cast(Sides, layer.padding)
    size = cast(Pair, x.shape[2:])
    if "padding-side" in quirks:
        # A pooling window must not see padding alone; a convolution may.
        pools = not isinstance(layer, Conv2D)
        sides = moved_padding(sides, (kernel[0] - 1, kernel[1] - 1) if pools else None)
    count = _rounded_up if "ceil-mode" in quirks else _rounded_down
    high, wide = map(count, size, kernel, stride, sides)
    return Window(kernel, stride, sides, size, (high, wide))


def moved_padding(sides: Sides, most: Pair | None = None) -> Sides:
    """Padding under the deviation `padding-side`: unequal sides are swapped, equal padding moves to
    the bottom and right.

    `most` bounds what the bottom and the right may get.
    """

    def moved(side: Pair, limit: int) -> Pair:
        before, after = side
        if before != after:
            return after, before
        after = min(sum(side), limit)
        return sum(side) - after, after

    rows, columns = sides
    limits = most or (sum(rows), sum(columns))
    return moved(rows, limits[0]), moved(columns, limits[1])


def _rounded_down(n: int, kernel: int, stride: int, side: Pair) -> int:
    return (n + sum(side) - kernel) // stride + 1


def _rounded_up(n: int, kernel: int, stride: int, side: Pair) -> int:
    """Rounded up, but no window starts beyond the map and the padding before it."""
    count = -((kernel - n - sum(side)) // stride) + 1
    return count - 1 if (count - 1) * stride >= n + side[0] else count
