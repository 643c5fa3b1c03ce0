"""Shape inference: what each layer makes of its input, and which weights it needs.

Shapes are (channels, height, width), (time, features) or (features,), and (time,) for tokens.
Every mistake names the layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tensorstone.models import layers as L
from tensorstone.models import messages
from tensorstone.models import recurrent as R
from tensorstone.models.named import plain
from tensorstone.support.errors import StoneError

Shape = tuple[int, ...]
LARGEST = 2**31
WEIGHTLESS = (
    L.MaxPool2D, L.AvgPool2D, L.GlobalAvgPool2D, L.Flatten, L.Dropout, L.Activation,
    R.LastStep, R.FirstLast,
)  # fmt: skip
Role = Literal[
    "weight", "bias", "gamma", "beta", "mean", "variance", "table",
    "input", "recurrent", "input_bias", "recurrent_bias",
    "backward_input", "backward_recurrent",
    "backward_bias", "backward_input_bias", "backward_recurrent_bias",
]  # fmt: skip


@dataclass(frozen=True)
class Weight:
    """One array of a layer: `trained` is false for running statistics."""

    name: str  # "conv1.weight"
    role: Role
    shape: Shape

    @property
    def trained(self) -> bool:
        return self.role not in ("mean", "variance")

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def said(shape: Sequence[int]) -> str:
    """A shape as a person writes it: 16×5×5."""
    return "×".join(str(int(n)) for n in shape)


def output_shape(layer: L.Layer, name: str, shape: Shape) -> Shape:
    """The shape `layer` makes of `shape`."""
    made = _made(layer, name, shape)
    _fits(name, "an output", made)
    return made


def _made(layer: L.Layer, name: str, shape: Shape) -> Shape:
    match layer:
        case R.Embedding():
            return (shape[0], layer.features)
        case R.Recurrent():
            time, _ = _sequence(layer, name, shape)
            return (time, layer.features) if layer.sequence else (layer.features,)
        case R.LastStep():
            return (_sequence(layer, name, shape)[1],)
        case R.FirstLast():
            return (2 * _sequence(layer, name, shape)[1],)
        case R.TimeDistributed():
            return (_sequence(layer, name, shape)[0], layer.units)
        case L.BatchNorm() | L.Softmax() if len(shape) == 2:
            raise StoneError(*messages.differs_over_sequences(name, layer.kind))
        case L.Dense():
            if len(shape) != 1:
                sequence = len(shape) == 2
                wrong = messages.dense_of_sequence if sequence else messages.dense_of_map
                raise StoneError(*wrong(name, said(shape)))
            return (layer.units,)
        case L.Conv2D():
            channels, height, width = _map(layer, name, shape)
            for label, count in (("input", channels), ("output", layer.channels)):
                if count % layer.groups:
                    message = messages.groups_do_not_divide(name, count, label, layer.groups)
                    raise StoneError(*message)
            return (layer.channels, *_windows(layer, name, (height, width)))
        case L.MaxPool2D() | L.AvgPool2D():
            channels, height, width = _map(layer, name, shape)
            _padding_within_kernel(layer, name)
            return (channels, *_windows(layer, name, (height, width)))
        case L.GlobalAvgPool2D():
            return (_map(layer, name, shape)[0],)
        case L.Flatten():
            return (shape[0] * math.prod(map(plain, shape[1:])) if shape[1:] else shape[0],)
        case L.Dropout() | L.BatchNorm() | L.Activation():
            return shape
        case _:
            raise NotImplementedError(f"no output shape is defined for {layer.kind}")


def weights(layer: L.Layer, name: str, shape: Shape) -> tuple[Weight, ...]:
    """The arrays `layer` owns when its input has `shape`, in canonical order and layout."""
    roles: list[tuple[Role, Shape]] = []
    match layer:
        case L.Dense():
            roles = [("weight", (layer.units, shape[-1])), ("bias", (layer.units,))]
        case R.Embedding():
            roles = [("table", (layer.vocabulary, layer.features))]
        case R.Recurrent():
            roles = [pair for side in layer.directions for pair in _cell(layer, side, shape[-1])]
        case L.Conv2D(kernel=(high, wide)):
            inputs = shape[0] // layer.groups
            roles = [("weight", (layer.channels, inputs, high, wide)), ("bias", (layer.channels,))]
        case L.BatchNorm():
            roles = [(role, shape[:1]) for role in ("gamma", "beta", "mean", "variance")]
        case _ if not isinstance(layer, WEIGHTLESS):
            raise NotImplementedError(f"no weights are defined for {layer.kind}")
    if not getattr(layer, "bias", True):
        roles = [pair for pair in roles if pair[0] != "bias"]
    found = tuple(Weight(f"{name}.{role}", role, tuple(map(plain, s))) for role, s in roles)
    for weight in found:
        _fits(name, f"its {weight.role}", weight.shape)
    return found


def _cell(layer: R.Recurrent, side: str, features: int) -> list[tuple[Role, Shape]]:
    """One direction's weights."""
    rows = layer.gates * layer.units
    biases = ("bias",) if layer.biases == 1 else ("input_bias", "recurrent_bias")
    shapes: list[tuple[str, Shape]] = [
        ("input", (rows, features)),
        ("recurrent", (rows, layer.units)),
    ]
    shapes += [(bias, (rows,)) for bias in biases]
    return [(f"{side}{role}", shape) for role, shape in shapes]  # type: ignore[misc]


def width_axis(shape: Shape) -> int:
    """Where a shape's channels or features are: what concatenation makes longer."""
    return 1 if len(shape) == 2 else 0


def joined_shape(join: str, name: str, shapes: Sequence[Shape]) -> Shape:
    """The shape of several paths concatenated along the channels, or added."""
    if not shapes:
        raise StoneError(*messages.no_path(name))
    first = shapes[0]
    for shape in shapes[1:]:
        same = shape == first if join == "add" else _but_width(shape) == _but_width(first)
        if not same:
            raise StoneError(*messages.paths_differ(name, join, [said(one) for one in shapes]))
    if join == "add":
        return first
    axis = width_axis(first)
    total = first[axis]
    for shape in shapes[1:]:
        total = total + shape[axis]
    return (*first[:axis], total, *first[axis + 1 :])


def _but_width(shape: Shape) -> tuple[int, Shape]:
    axis = width_axis(shape)
    return len(shape), (*shape[:axis], *shape[axis + 1 :])


def _fits(name: str, what: str, shape: Shape) -> None:
    """Refuse arrays whose positions a signed 32-bit number cannot count: a slip of the pen."""
    if math.prod(shape) >= LARGEST:
        raise StoneError(*messages.array_too_large(name, what, said(shape), math.prod(shape)))


def _sequence(layer: L.Layer, name: str, shape: Shape) -> Shape:
    if len(shape) != 2:
        raise StoneError(*messages.wants_sequence(name, layer.kind, said(shape)))
    return shape


def _map(layer: L.Layer, name: str, shape: Shape) -> Shape:
    if len(shape) != 3:
        raise StoneError(*messages.wants_map(name, layer.kind, said(shape)))
    return shape


def _windows(layer: L.Conv2D | L.MaxPool2D | L.AvgPool2D, name: str, size: L.Pair) -> L.Pair:
    sizes = []
    for kernel, stride, sides, n in zip(
        _two(layer.kernel), _two(layer.stride), _two(layer.padding), size, strict=True
    ):
        room = n + plain(sides[0]) + plain(sides[1])
        if kernel > room:
            padded = room if room != n else None
            message = messages.kernel_too_large(name, int(kernel), said(size), padded)
            raise StoneError(*message)
        sizes.append((room - plain(kernel)) // plain(stride) + 1)
    return sizes[0], sizes[1]


def _two(value: object) -> tuple:  # type: ignore[type-arg]
    assert isinstance(value, tuple)  # layers normalise pairs when they are made
    return value


def _padding_within_kernel(layer: L.MaxPool2D | L.AvgPool2D, name: str) -> None:
    for kernel, sides in zip(_two(layer.kernel), _two(layer.padding), strict=True):
        if max(sides) >= kernel:
            raise StoneError(*messages.padding_alone(name, max(sides), kernel))
