"""The layer vocabulary: what each layer is, in numbers, with nothing of any framework.

Feature maps are channels × height × width and vectors are flat; the batch axis is never written.
Weights have canonical layouts: convolutions out × in/groups × height × width, dense out × in.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

from tensorstone.errors import StoneError

Pair = tuple[int, int]
Sides = tuple[Pair, Pair]  # ((top, bottom), (left, right))


def _pair(value: int | Pair) -> Pair:
    return (value, value) if isinstance(value, int) else value


def _sides(value: int | Pair | Sides) -> Sides:
    height, width = _pair(value)  # type: ignore[arg-type]
    return _pair(height), _pair(width)


@dataclass(frozen=True)
class Layer:
    """One step of a model. `stem` begins the names of unnamed layers of its kind."""

    stem: ClassVar[str] = "layer"
    name: str = field(default="", kw_only=True)

    @property
    def kind(self) -> str:
        return type(self).__name__

    def _set(self, **values: object) -> None:
        """Normalise a field while the dataclass is being made."""
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def _check(self, **bounds: float) -> None:
        """Each named field (or each number of a pair) must be at least its bound."""
        for key, bound in bounds.items():
            value = getattr(self, key)
            if min(_flat(value)) < bound:
                raise StoneError(
                    f"{self.name or self.kind}: {key} is {_said(value)}, below {_said(bound)}",
                    f"give {self.kind} a {key} of at least {_said(bound)}",
                )

    def settings(self) -> dict[str, object]:
        """The layer's numbers without its name: what decides what it computes."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "name"}


def _flat(value: object) -> list[float]:
    return [n for v in value for n in _flat(v)] if isinstance(value, tuple) else [value]  # type: ignore[list-item]


def _said(value: object) -> str:
    numbers = [f"{n:g}" for n in _flat(value)]
    return "×".join(numbers)


@dataclass(frozen=True)
class Dense(Layer):
    """y = W·x + b on a flat input."""

    stem: ClassVar[str] = "fc"
    units: int
    bias: bool = True

    def __post_init__(self) -> None:
        self._check(units=1)


@dataclass(frozen=True)
class Conv2D(Layer):
    """Cross-correlation, as every framework but Theano calls convolution."""

    stem: ClassVar[str] = "conv"
    channels: int
    kernel: int | Pair
    stride: int | Pair = 1
    padding: int | Pair | Sides = 0
    groups: int = 1
    bias: bool = True

    def __post_init__(self) -> None:
        self._set(
            kernel=_pair(self.kernel), stride=_pair(self.stride), padding=_sides(self.padding)
        )
        self._check(channels=1, kernel=1, stride=1, padding=0, groups=1)


@dataclass(frozen=True)
class _Pool2D(Layer):
    stem: ClassVar[str] = "pool"
    kernel: int | Pair
    stride: int | Pair | None = None  # the kernel's size unless told
    padding: int | Pair | Sides = 0

    def __post_init__(self) -> None:
        kernel = _pair(self.kernel)
        stride = kernel if self.stride is None else _pair(self.stride)
        self._set(kernel=kernel, stride=stride, padding=_sides(self.padding))
        self._check(kernel=1, stride=1, padding=0)


@dataclass(frozen=True)
class MaxPool2D(_Pool2D):
    """The largest value under the kernel; padding never wins; sizes round down."""


@dataclass(frozen=True)
class AvgPool2D(_Pool2D):
    """The mean under the kernel; `count_padding` says whether padded zeros count in it."""

    count_padding: bool = False


@dataclass(frozen=True)
class GlobalAvgPool2D(Layer):
    """The mean of each channel: a flat vector of channels."""

    stem: ClassVar[str] = "pool"


@dataclass(frozen=True)
class Flatten(Layer):
    """Channels × height × width in that order, as one vector."""

    stem: ClassVar[str] = "flatten"


@dataclass(frozen=True)
class Dropout(Layer):
    """In training each value is zero with probability `rate`, else divided by 1 − rate."""

    stem: ClassVar[str] = "drop"
    rate: float = 0.5

    def __post_init__(self) -> None:
        self._check(rate=0)
        if self.rate >= 1:
            raise StoneError(
                f"{self.name or self.kind}: rate is {self.rate:g}, which drops everything",
                "the rate is the share that is dropped, below 1",
            )


@dataclass(frozen=True)
class BatchNorm(Layer):
    """Per channel: (x − mean) / √(variance + epsilon) · gamma + beta.

    In training mean and (biased) variance are the batch's; the running ones move by
    running = momentum · running + (1 − momentum) · batch's, and prediction uses them.
    """

    stem: ClassVar[str] = "bn"
    momentum: float = 0.9
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        self._check(momentum=0, epsilon=0)


@dataclass(frozen=True)
class ReLU(Layer):
    """max(x, 0)"""

    stem: ClassVar[str] = "relu"


@dataclass(frozen=True)
class LeakyReLU(Layer):
    """x where positive, slope · x elsewhere."""

    stem: ClassVar[str] = "leaky"
    slope: float = 0.01


@dataclass(frozen=True)
class Tanh(Layer):
    stem: ClassVar[str] = "tanh"


@dataclass(frozen=True)
class Sigmoid(Layer):
    stem: ClassVar[str] = "sigmoid"


@dataclass(frozen=True)
class Softsign(Layer):
    """x / (1 + |x|)"""

    stem: ClassVar[str] = "softsign"


@dataclass(frozen=True)
class Softplus(Layer):
    """log(1 + eˣ)"""

    stem: ClassVar[str] = "softplus"


@dataclass(frozen=True)
class GELU(Layer):
    """x · Φ(x) with the exact normal distribution, not the tanh approximation."""

    stem: ClassVar[str] = "gelu"


@dataclass(frozen=True)
class Softmax(Layer):
    """Over the channels."""

    stem: ClassVar[str] = "softmax"


ACTIVATIONS = (ReLU, LeakyReLU, Tanh, Sigmoid, Softsign, Softplus, GELU, Softmax)
WEIGHTED = (Dense, Conv2D, BatchNorm)
