"""A figure as it is shown: a value, how far it may be off, and of how many samples it is."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

# What `low` and `high` are: the ends of the 95 % confidence interval; the least and the most that
# was seen, of readings that are no estimates; or nothing, for what is counted and not measured.
Kind = Literal["interval", "range", "exact"]


class Estimate(Struct, frozen=True):
    """`low` and `high` are None where there are too few samples to have an interval."""

    value: float
    low: float | None
    high: float | None
    n: int
    kind: Kind = "interval"

    @property
    def half_width(self) -> float | None:
        """Of the interval, relative and on the log scale: 0.02 is about ±2 %."""
        if self.low is None or self.high is None:
            return None
        if self.low <= 0:
            return math.inf
        return math.log(self.high / self.low) / 2


def exact(value: float) -> Estimate:
    """What was counted."""
    return Estimate(value, None, None, 1, "exact")
