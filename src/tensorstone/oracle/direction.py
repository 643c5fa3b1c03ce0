"""The order in which a recurrent layer reads a batch of sequences and writes its outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tensorstone.oracle.call import Call

DIRECTION_QUIRKS = frozenset(
    {
        "batch-as-time",
        "state-stuck-at-zero",
        "run-once",
        "backward-first-step",
        "backward-not-reversed",
        "backward-outputs-reversed",
    }
)


@dataclass(frozen=True)
class Order:
    """How batch × time × features and what a cell runs over are arranged into each other.

    A cell runs over the first axis. Nothing but places change, so gradients go the same ways.
    """

    backwards: bool
    along_batch: bool = False  # from sample to sample, the steps side by side
    apart: bool = False  # all side by side: every step follows on a state of zeros

    def scanned(self, x: np.ndarray) -> np.ndarray:
        """Steps × batch × features, of batch × time × features."""
        x = x if self.along_batch else x.swapaxes(0, 1)
        x = x[::-1] if self.backwards else x
        return np.ascontiguousarray(x.reshape(1, -1, x.shape[2]) if self.apart else x)

    def restored(self, y: np.ndarray, samples: int) -> np.ndarray:
        """Batch × time × features again."""
        time = y.shape[0] * y.shape[1] // samples
        y = y.reshape(*((samples, time) if self.along_batch else (time, samples)), -1)
        y = y[::-1] if self.backwards else y
        return y if self.along_batch else y.swapaxes(0, 1)


@dataclass(frozen=True)
class Direction:
    """One direction of a layer."""

    side: str  # what begins the roles of its weights
    reads: Order
    writes: Order
    last: int  # where in time its last output is


def directions(call: Call) -> Iterator[Direction]:
    """The layer's directions."""
    quirks = call.quirks
    # From a state of zeros every time, and its first output taken: that is run once.
    once = "run-once" in quirks
    apart = once or "state-stuck-at-zero" in quirks
    for side in call.layer.directions:
        backwards = bool(side) and "backward-not-reversed" not in quirks
        order = Order(backwards, "batch-as-time" in quirks, apart)
        last = 0 if backwards != once else -1
        if side and "backward-first-step" in quirks:
            last = -1
        turned = backwards and "backward-outputs-reversed" in quirks
        yield Direction(side, order, replace(order, backwards=False) if turned else order, last)
