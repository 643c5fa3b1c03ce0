"""The layer vocabulary: what each layer is, in numbers, with nothing of any framework.

Feature maps are channels × height × width and vectors are flat; the batch axis is never written.
Layers over sequences are in recurrent.py.
Weights have canonical layouts: convolutions out × in/groups × height × width, dense out × in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeGuard

from tensorstone.models import checks, messages
from tensorstone.models.written_at import made
from tensorstone.support.errors import StoneError

Pair = tuple[int, int]
Sides = tuple[Pair, Pair]  # ((top, bottom), (left, right))
# Where a layer's gradient jumps, so that rounding of its input decides between two right values:
# where an input is zero, where two inputs of a window are equal, or nowhere.
Jump = Literal["zero", "ties", "nowhere"]


@dataclass(frozen=True)
class Layer:
    """One step of a model. Every kind says the following of itself; there are no defaults."""

    stem: ClassVar[str]  # begins the names of unnamed layers of its kind
    jump: ClassVar[Jump]
    name: str = field(default="", kw_only=True)

    def __new__(cls, *_: object, **__: object) -> Layer:
        layer = super().__new__(cls)
        made(layer)
        return layer

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def _owner(self) -> str:
        return self.name or self.kind

    def _whole(self, **least: int) -> None:
        """Each named field is a whole number of at least its bound."""
        for key, bound in least.items():
            checks.whole(self._owner, key, getattr(self, key), bound)

    def _pairs(self, **least: int) -> None:
        """Each named field is a whole number or (height, width), kept as a pair."""
        for key, bound in least.items():
            object.__setattr__(self, key, self._two(key, getattr(self, key), bound))

    def _padding(self) -> None:
        """`padding` is kept as ((top, bottom), (left, right))."""
        given = self.padding  # type: ignore[attr-defined]
        if isinstance(given, str):
            raise StoneError(*messages.padding_word(self._owner, given))
        height, width = given if _is_pair(given) else (given, given)
        sides = self._two("padding", height, 0), self._two("padding", width, 0)
        object.__setattr__(self, "padding", sides)

    def _two(self, key: str, value: Any, least: int) -> Pair:
        if isinstance(value, tuple | list) and len(value) != 2:
            raise StoneError(*messages.not_a_pair(self._owner, key, value, self.kind))
        first, second = value if _is_pair(value) else (value, value)
        checks.whole(self._owner, key, first, least)
        checks.whole(self._owner, key, second, least)
        return first, second

    def settings(self) -> dict[str, object]:
        """The layer's numbers without its name: what decides what it computes."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "name"}


def _is_pair(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, tuple | list) and len(value) == 2


@dataclass(frozen=True)
class Dense(Layer):
    """y = W·x + b on a flat input."""

    stem: ClassVar[str] = "fc"
    jump: ClassVar[Jump] = "nowhere"
    units: int
    bias: bool = True

    def __post_init__(self) -> None:
        self._whole(units=1)
        checks.flag(self._owner, "bias", self.bias)


@dataclass(frozen=True)
class Conv2D(Layer):
    """Cross-correlation, as every framework but Theano calls convolution."""

    stem: ClassVar[str] = "conv"
    jump: ClassVar[Jump] = "nowhere"
    channels: int
    kernel: int | Pair
    stride: int | Pair = 1
    padding: int | Pair | Sides = 0
    groups: int = 1
    bias: bool = True

    def __post_init__(self) -> None:
        self._whole(channels=1, groups=1)
        self._pairs(kernel=1, stride=1)
        self._padding()
        checks.flag(self._owner, "bias", self.bias)


@dataclass(frozen=True)
class _Pool2D(Layer):
    stem: ClassVar[str] = "pool"
    kernel: int | Pair
    stride: int | Pair | None = None  # the kernel's size unless told
    padding: int | Pair | Sides = 0

    def __post_init__(self) -> None:
        if self.stride is None:
            object.__setattr__(self, "stride", self.kernel)
        self._pairs(kernel=1, stride=1)
        self._padding()


@dataclass(frozen=True)
class MaxPool2D(_Pool2D):
    """The largest value under the kernel; padding never wins; sizes round down."""

    jump: ClassVar[Jump] = "ties"


@dataclass(frozen=True)
class AvgPool2D(_Pool2D):
    """The mean under the kernel; `count_padding` says whether padded zeros count in it."""

    jump: ClassVar[Jump] = "nowhere"
    count_padding: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag(self._owner, "count_padding", self.count_padding)


@dataclass(frozen=True)
class GlobalAvgPool2D(Layer):
    """The mean of each channel: a flat vector of channels."""

    stem: ClassVar[str] = "pool"
    jump: ClassVar[Jump] = "nowhere"


@dataclass(frozen=True)
class Flatten(Layer):
    """Channels × height × width in that order, as one vector."""

    stem: ClassVar[str] = "flatten"
    jump: ClassVar[Jump] = "nowhere"


@dataclass(frozen=True)
class Dropout(Layer):
    """In training each value is zero with probability `rate`, else divided by 1 − rate."""

    stem: ClassVar[str] = "drop"
    jump: ClassVar[Jump] = "nowhere"
    rate: float = 0.5

    def __post_init__(self) -> None:
        # The rate is the share that is dropped: 1 would drop everything.
        checks.number(self._owner, "rate", self.rate, least=0, below=1)


@dataclass(frozen=True)
class BatchNorm(Layer):
    """Per channel: (x − mean) / √(variance + epsilon) · gamma + beta.

    In training mean and (biased) variance are the batch's; the running ones move by
    running = momentum · running + (1 − momentum) · batch's, and prediction uses them.
    """

    stem: ClassVar[str] = "bn"
    jump: ClassVar[Jump] = "nowhere"
    momentum: float = 0.9
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        checks.number(self._owner, "momentum", self.momentum, least=0, below=1)
        checks.positive(self._owner, "epsilon", self.epsilon)


@dataclass(frozen=True)
class Activation(Layer):
    """A function of its input alone: no weights, and the output has the input's shape."""

    gain: ClassVar[float]  # on the variance of the weights before it, to keep activations' size


@dataclass(frozen=True)
class ReLU(Activation):
    """max(x, 0)"""

    stem: ClassVar[str] = "relu"
    jump: ClassVar[Jump] = "zero"
    gain: ClassVar[float] = 2.0


@dataclass(frozen=True)
class LeakyReLU(Activation):
    """x where positive, slope · x elsewhere."""

    stem: ClassVar[str] = "leaky"
    jump: ClassVar[Jump] = "zero"
    gain: ClassVar[float] = 2.0
    slope: float = 0.01

    def __post_init__(self) -> None:
        checks.number(self._owner, "slope", self.slope, least=0)


@dataclass(frozen=True)
class Tanh(Activation):
    """(eˣ − e⁻ˣ) / (eˣ + e⁻ˣ)"""

    stem: ClassVar[str] = "tanh"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Sigmoid(Activation):
    """1 / (1 + e⁻ˣ)"""

    stem: ClassVar[str] = "sigmoid"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Softsign(Activation):
    """x / (1 + |x|)"""

    stem: ClassVar[str] = "softsign"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Softplus(Activation):
    """log(1 + eˣ)"""

    stem: ClassVar[str] = "softplus"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 1.0


@dataclass(frozen=True)
class GELU(Activation):
    """x · Φ(x) with the exact normal distribution, not the tanh approximation."""

    stem: ClassVar[str] = "gelu"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 2.0


@dataclass(frozen=True)
class SiLU(Activation):
    """x / (1 + e⁻ˣ), also called Swish"""

    stem: ClassVar[str] = "silu"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 2.0


@dataclass(frozen=True)
class Softmax(Activation):
    """eˣ over its sum along the channels."""

    stem: ClassVar[str] = "softmax"
    jump: ClassVar[Jump] = "nowhere"
    gain: ClassVar[float] = 1.0
