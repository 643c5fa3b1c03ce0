"""A convolution's or a pooling's window: other padding, dilation, starts, sizes, means, maxima."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, cast

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.layers import Pair, Sides
from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.guesses import Guess, on_input
from tensorstone.proof.measuring.sentence import residual

Windowed = L.Conv2D | L.MaxPool2D | L.AvgPool2D
_MODES: dict[str, Any] = {
    "reflect": "mirrors of the map (without its edge)",
    "edge": "copies of the map's edge",
    "symmetric": "mirrors of the map (with its edge)",
    "wrap": "the map's other side (circular)",
}
_NONE: Sides = ((0, 0), (0, 0))


def window_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    layer = evidence.node.layer
    if not isinstance(layer, Windowed):
        return
    if not isinstance(layer, L.Conv2D):
        says = "rounds its output's size up, not down"
        yield Guess(says, lambda e: e.computed(quirk="ceil-mode"), name="ceil-mode")
    yield from _other_sides(evidence, layer)
    yield from _other_padding(evidence, layer)
    yield from _later_windows()
    yield from _other_sizes(evidence, layer)
    if isinstance(layer, L.Conv2D):
        yield from _dilated(evidence, layer)
    else:
        yield from _pools(evidence, layer)


def _relayered(layer: L.Layer) -> Callable[[LayerEvidence], np.ndarray]:
    return lambda e: e.computed(layer=layer)


def _sides(layer: Windowed) -> Sides:
    return cast(Sides, layer.padding)


def _other_sides(evidence: LayerEvidence, layer: Windowed) -> Iterator[Guess]:
    """The padding divided otherwise, or less or more of it, where the output keeps its size."""
    now = _sides(layer)
    kernel, stride = cast(Pair, layer.kernel), cast(Pair, layer.stride)
    axes: list[list[Pair]] = []
    for k in (0, 1):
        n, count = evidence.x.shape[2 + k], evidence.observed.shape[2 + k : 3 + k]
        most = max(kernel[k] - 1, *now[k])
        pairs = product(range(most + 1), range(most + 1))
        axes.append([p for p in pairs if ((n + sum(p) - kernel[k]) // stride[k] + 1,) == count])
    found: list[Sides] = [s for s in product(axes[0], axes[1]) if s != now]
    # The padding that moves least first; several that windows do not tell apart are as good.
    found.sort(key=lambda sides: _distance(sides, now))
    for sides in found:
        name = "padding-side" if _total(sides) == _total(now) else None
        says = "does not pad" if sides == _NONE else f"pads {_said(sides)}, not {_said(now)}"
        yield Guess(says, _relayered(replace(layer, padding=sides)), name=name)


def _total(sides: Sides) -> tuple[int, int]:
    return sum(sides[0]), sum(sides[1])


def _distance(sides: Sides, now: Sides) -> tuple[int, int]:
    flat, other = np.ravel(sides), np.ravel(now)
    kept = int(np.abs(np.subtract(_total(sides), _total(now))).sum())
    return kept, int(np.abs(flat - other).sum())


def _said(sides: Sides) -> str:
    (top, bottom), (left, right) = sides
    if top == bottom == left == right:
        return f"{top} on every side"
    return f"{top} above, {bottom} below, {left} left, {right} right"


def _other_padding(evidence: LayerEvidence, layer: Windowed) -> Iterator[Guess]:
    """The same sides with other numbers in them."""
    sides = _sides(layer)
    if sides == _NONE:
        return
    border = ((0, 0), (0, 0), *sides)
    bare = replace(layer, padding=_NONE)
    for mode, said in _MODES.items():
        yield Guess(
            f"pads with {said}, not with zeros" if _zeros(layer) else f"pads with {said}",
            partial(_padded_as, mode, border, bare),
        )

    def padded(e: LayerEvidence, value: float) -> np.ndarray:
        return e.computed(np.pad(e.x, border, constant_values=value), layer=bare)

    if isinstance(layer, L.MaxPool2D):
        yield Guess("pads with zeros, which can be the largest", lambda e: padded(e, 0.0))
        return
    value = _padding_value(evidence, padded)
    if value is not None:
        text, number = value
        yield Guess(f"pads with {text}, not with zeros", lambda e: padded(e, number), 1)


def _padded_as(mode: Any, border: tuple[Pair, ...], bare: L.Layer, e: LayerEvidence) -> np.ndarray:
    return e.computed(np.pad(e.x, border, mode), layer=bare)


def _zeros(layer: Windowed) -> bool:
    return not isinstance(layer, L.MaxPool2D)


def _padding_value(
    evidence: LayerEvidence, padded: Callable[[LayerEvidence, float], np.ndarray]
) -> tuple[str, float] | None:
    """Sums depend on the padding's value by a straight line."""
    few = evidence.first(4)
    zero, one = padded(few, 0.0), padded(few, 1.0)
    slope = one - zero
    if slope.shape != few.observed.shape or not np.abs(slope).max():
        return None
    value = float((slope * (few.observed - zero)).sum() / (slope**2).sum())
    if residual(few.observed, padded(few, value)) > evidence.tolerance:
        return None
    return rounded(value, lambda c: zero + c * slope, few.observed, evidence.tolerance)


def _later_windows() -> Iterator[Guess]:
    """Windows that begin elsewhere: the map is moved under them."""
    rows, columns = "row", "column"
    for down, right in product((-1, 0, 1), repeat=2):
        if down or right:
            parts = [
                f"one {what} {'later' if by > 0 else 'earlier'}"
                for by, what in ((down, rows), (right, columns))
                if by
            ]
            says = f"begins its windows {' and '.join(parts)}"
            yield Guess(says, on_input(partial(_moved, down, right)))


def _moved(down: int, right: int, x: np.ndarray) -> np.ndarray:
    """The map read from a later row and column on, zeros behind."""
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    high, broad = x.shape[2:]
    return wide[:, :, 1 + down : 1 + down + high, 1 + right : 1 + right + broad]


def _other_sizes(evidence: LayerEvidence, layer: Windowed) -> Iterator[Guess]:
    """Another stride, and of a pooling another kernel."""
    kernel, stride, now = cast(Pair, layer.kernel), cast(Pair, layer.stride), _sides(layer)
    same = evidence.observed.shape == evidence.expected.shape
    for by in (1, 2, 3, 4):
        if (by, by) != stride and not same:
            yield Guess(f"has stride {by}", _relayered(replace(layer, stride=(by, by))))
    if not same:
        bare = replace(layer, padding=_NONE)
        yield Guess("does not pad", _relayered(bare))
        for down, right in product(range(stride[0]), range(stride[1])):
            if down or right:
                says = f"does not pad, and begins its windows {down} below and {right} to the right"
                yield Guess(says, partial(_cropped, down, right, bare))
    if isinstance(layer, L.Conv2D):
        if max(stride) > 1:
            yield from _pooled(layer, stride)
        return
    for size in range(1, max(kernel) + 3):
        if (size, size) != kernel:
            for pad in range(size):
                sides = ((pad, pad), (pad, pad))
                other = replace(layer, kernel=(size, size), padding=sides)
                unpadded = sides == _NONE == now
                says = f"has windows of {size}×{size}"
                says = says if unpadded else f"{says} and pads {_said(sides)}"
                yield Guess(says, _relayered(other))
    turned = replace(layer, kernel=kernel[::-1], stride=stride[::-1], padding=now[::-1])
    if turned != layer:
        yield Guess("takes its window's height for its width", _relayered(turned))


def _pooled(layer: L.Conv2D, stride: Pair) -> Iterator[Guess]:
    """The stride made by a pooling after windows that begin at every place."""
    high, wide = stride
    for padding, note in ((layer.padding, ""), (_NONE, " and does not pad")):
        every = replace(layer, stride=(1, 1), padding=padding)
        for pool, said in ((L.AvgPool2D, "mean"), (L.MaxPool2D, "largest")):

            def compute(e: LayerEvidence, every: L.Conv2D = every, pool: Any = pool) -> np.ndarray:
                y = e.computed(layer=every)
                n, c, h, w = y.shape
                cells = y[:, :, : h // high * high, : w // wide * wide]
                cells = cells.reshape(n, c, h // high, high, w // wide, wide)
                found: np.ndarray = cells.mean((3, 5)) if pool is L.AvgPool2D else cells.max((3, 5))
                return found

            says = f"has stride 1{note}, and takes the {said} of each {high}×{wide} of its results"
            yield Guess(says, compute)


def _cropped(down: int, right: int, bare: L.Layer, e: LayerEvidence) -> np.ndarray:
    return e.computed(e.x[:, :, down:, right:], layer=bare)


def _dilated(evidence: LayerEvidence, layer: L.Conv2D) -> Iterator[Guess]:
    kernel, now = cast(Pair, layer.kernel), _sides(layer)
    if max(kernel) == 1:
        return
    for by in (2, 3, 4):
        size = ((kernel[0] - 1) * by + 1, (kernel[1] - 1) * by + 1)
        (top, bottom), (left, right) = now
        grown = ((top * by, bottom * by), (left * by, right * by))
        for sides in dict.fromkeys((now, grown)):
            wide = replace(layer, kernel=size, padding=sides)

            def compute(e: LayerEvidence, by: int = by, wide: L.Conv2D = wide) -> np.ndarray:
                return e.computed(layer=wide, weights={"weight": _spread(e.weights["weight"], by)})

            says = f"dilates its kernel by {by}"
            yield Guess(says if sides == now else f"{says} (and its padding)", compute)


def _spread(kernel: np.ndarray, by: int) -> np.ndarray:
    """The kernel with zeros between its numbers."""
    *lead, high, wide = kernel.shape
    found = np.zeros((*lead, (high - 1) * by + 1, (wide - 1) * by + 1))
    found[..., ::by, ::by] = kernel
    return found


def _pools(evidence: LayerEvidence, layer: L.MaxPool2D | L.AvgPool2D) -> Iterator[Guess]:
    shared: dict[str, Any] = {
        "kernel": layer.kernel,
        "stride": layer.stride,
        "padding": layer.padding,
    }
    lowest = L.MaxPool2D(**shared)
    if isinstance(layer, L.AvgPool2D):
        counted = not layer.count_padding
        name = "padding-counted" if counted else "padding-not-counted"
        says = "counts the padding in its means" if counted else "leaves padding out of its means"
        yield Guess(says, _relayered(replace(layer, count_padding=counted)), name=name)
        yield Guess("gives the largest value (max), not the mean", _relayered(lowest))
        yield Guess("gives the root of the mean square", _root_mean_square)
        area = int(np.prod(cast(Pair, layer.kernel)))
        whole = replace(layer, count_padding=True)
        yield Guess("gives sums, not means", lambda e: area * e.computed(layer=whole))
    else:
        for counted in (False, True):
            mean = L.AvgPool2D(**shared, count_padding=counted)
            note = ", padding counted" if counted and _sides(layer) != _NONE else ""
            yield Guess(f"gives the mean, not the largest value{note}", _relayered(mean))
    yield Guess("gives the smallest value", lambda e: -e.computed(-e.x, layer=lowest))
    yield Guess("gives the largest absolute value", lambda e: e.computed(np.abs(e.x), layer=lowest))
    yield Guess(
        "gives the first value of each window",
        lambda e: e.x[:, :, :: layer.stride[0], :: layer.stride[1]],  # type: ignore[index]
    )


def _root_mean_square(e: LayerEvidence) -> np.ndarray:
    found: np.ndarray = np.sqrt(e.computed(e.x**2))
    return found
