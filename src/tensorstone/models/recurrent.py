"""Layers over sequences: time × features, the batch axis never written.

Weights have canonical layouts: every gate's rows above one another, gates × units by inputs. A
layer with one bias adds it to the input's side; with two, the recurrent side has its own and both
train. A bidirectional layer has a second set of all, for the direction that reads backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tensorstone.models import checks, messages
from tensorstone.models.layers import Dense, Jump, Layer
from tensorstone.support.errors import StoneError


@dataclass(frozen=True)
class Embedding(Layer):
    """Row number `token` of a table, for every token of the model's input."""

    stem: ClassVar[str] = "embed"
    jump: ClassVar[Jump] = "nowhere"
    vocabulary: int
    features: int

    def __post_init__(self) -> None:
        self._whole(vocabulary=1, features=1)


@dataclass(frozen=True)
class Recurrent(Layer):
    """A cell run over the sequence from a state of zeros.

    Its result is the last step's output, or with `sequence` every step's. Backwards the last step
    is the sequence's first; the two directions' outputs are concatenated, forwards first.
    """

    stem: ClassVar[str] = "rnn"
    jump: ClassVar[Jump] = "nowhere"
    gates: ClassVar[int] = 1
    units: int
    sequence: bool = False
    bidirectional: bool = False
    biases: int = 1

    def __post_init__(self) -> None:
        self._whole(units=1, biases=1)
        checks.flag(self._owner, "sequence", self.sequence)
        checks.flag(self._owner, "bidirectional", self.bidirectional)
        if self.biases > 2:
            raise StoneError(*messages.too_many_biases(self._owner, self.biases))

    @property
    def directions(self) -> tuple[str, ...]:
        """What begins the roles of each direction's weights."""
        return ("", "backward_") if self.bidirectional else ("",)

    @property
    def features(self) -> int:
        """Of its output, at each step."""
        return 2 * self.units if self.bidirectional else self.units


@dataclass(frozen=True)
class SimpleRNN(Recurrent):
    """h ← tanh(W·x + U·h + b)"""


@dataclass(frozen=True)
class LSTM(Recurrent):
    """Gates i, f, g, o:  c ← σ(f) · c + σ(i) · tanh(g);  h ← σ(o) · tanh(c)

    No peepholes, and nothing added to the forget gate.
    """

    stem: ClassVar[str] = "lstm"
    gates: ClassVar[int] = 4


@dataclass(frozen=True)
class GRU(Recurrent):
    """Gates r, z, n:  h ← (1 − σ(z)) · tanh(n) + σ(z) · h

    n = W·x + b + σ(r) · (U·h + b′) with `reset_after`; without it n = W·x + b + U·(σ(r) · h).
    """

    stem: ClassVar[str] = "gru"
    gates: ClassVar[int] = 3
    reset_after: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag(self._owner, "reset_after", self.reset_after)
        if self.biases == 2 and not self.reset_after:
            raise StoneError(*messages.second_bias_without_place(self._owner))


@dataclass(frozen=True)
class LastStep(Layer):
    """The last step of a sequence."""

    stem: ClassVar[str] = "last"
    jump: ClassVar[Jump] = "nowhere"


@dataclass(frozen=True)
class FirstLast(Layer):
    """The first and the last step of a sequence, concatenated."""

    stem: ClassVar[str] = "ends"
    jump: ClassVar[Jump] = "nowhere"


@dataclass(frozen=True)
class TimeDistributed(Dense):
    """The same dense layer on every step of a sequence."""
