"""What one epoch of a whole training gave."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Epoch:
    """Once over the training samples, and the judgement after it."""

    number: int  # from 1
    steps: int
    loss: float  # the mean over its batches, as they were trained
    metric: float  # on the test samples
    train_s: float  # the steps and nothing else
    feed_s: float  # handing the framework its samples
    evaluate_s: float

    @property
    def wall_s(self) -> float:
        """All of it, for planning."""
        return self.feed_s + self.train_s + self.evaluate_s
