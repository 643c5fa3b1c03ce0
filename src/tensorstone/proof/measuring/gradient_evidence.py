"""What is known of a program's gradients at one place, and each array's against the oracle's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tensorstone.models.recipe import Loss
from tensorstone.oracle.case import Arrays

SMALL = 1e-3  # of the largest gradient of all: smaller arrays are compared with this
SEEN = 100.0  # an array shows something where its gradient is so many times the error allowed
LOSS_ROUNDS = 1e-6  # some frameworks average losses in float32, whatever they compute in


@dataclass(frozen=True)
class GradientEvidence:
    """One batch's gradients, of the program and of the oracle, at the same weights."""

    weights: Arrays  # every trained weight where the gradient was taken
    observed: Arrays  # the program's gradients, read off one step of plain SGD; float64
    expected: Arrays  # the oracle's
    order: tuple[str, ...]  # weights in forward order
    loss: Loss
    observed_loss: float | None  # None where the program reports only a mean over a call
    expected_loss: float
    outputs: np.ndarray  # the oracle's last values before the loss (logits), batch first
    y: np.ndarray
    batch: int
    tolerance: float  # relative
    features: np.ndarray | None = None  # what the last layer reads
    # Of a table of tokens: how often the batch has each row's token.
    counts: Mapping[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def seen(self) -> tuple[str, ...]:
        """Arrays whose gradient is more than rounding, in forward order."""
        least = SEEN * self.tolerance
        return tuple(n for n in self.order if _size(self.expected[n]) > least * self.floor)

    @cached_property
    def floor(self) -> float:
        return SMALL * max((_size(e) for e in self.expected.values()), default=0.0)

    @cached_property
    def wrong(self) -> tuple[str, ...]:
        """Arrays that are not as expected, in forward order."""
        return tuple(n for n in self.order if self.error({n: self.expected[n]}) > self.tolerance)

    @cached_property
    def loss_ratio(self) -> float | None:
        if self.observed_loss is None or not self.expected_loss:
            return None
        return self.observed_loss / self.expected_loss

    @property
    def loss_tolerance(self) -> float:
        return max(self.tolerance, LOSS_ROUNDS)

    @property
    def named(self) -> Mapping[str, float]:
        """What a factor may be that is no plain number."""
        width = self.outputs.size // len(self.outputs)
        sizes = {"the batch's size": self.batch, "the number of outputs": width}
        if self.batch == width or width < 3:
            del sizes["the number of outputs"]
        return {
            **{f"{n} ({of})": float(n) for of, n in sizes.items() if n > 2},
            **{f"1/{n} (1 over {of})": 1 / n for of, n in sizes.items() if n > 2},
        }

    def error(self, assumed: Mapping[str, np.ndarray]) -> float:
        """The largest relative difference of what is observed from what is assumed."""
        floor = min(self.floor, SMALL * max(map(_size, assumed.values()), default=0.0))
        floor = floor or self.floor
        if len(assumed) < len(self.order):
            floor = self.floor
        return max((self._gap(n, a, floor) for n, a in assumed.items()), default=0.0)

    def _gap(self, name: str, assumed: np.ndarray, floor: float) -> float:
        gap = _size(self.observed[name] - assumed)
        return gap / (max(_size(assumed), floor) or 1.0) if np.isfinite(gap) else np.inf

    def stacked(self, names: Iterable[str], arrays: Arrays) -> np.ndarray:
        return np.concatenate([np.ravel(arrays[name]) for name in names])


def _size(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=0.0))
