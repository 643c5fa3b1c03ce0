"""After how many steps a contestant that starts slowly and steps fast has made up for it.

What is compared is cold + steps * step, with the cold cost and the step time that tables show:
geometric means over processes. Restarts are drawn whole, of both contestants together, since what
slows a restart slows all four numbers; and widened for few samples as every interval is.

A quotient of two differences has no mean and no variance, but its resamples can be counted. One in
which the faster stepper is not faster crosses at infinity; one in which the slower starter is not
slower crosses at nothing. Where more than one in forty does so, that is where the interval ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tensorstone.analysis.bootstrap import FEWEST, around, jointly
from tensorstone.results.comparison import BreakEven
from tensorstone.results.estimate import Estimate


@dataclass(frozen=True)
class Costs:
    """What one contestant's processes took, by restart."""

    cold_s: Mapping[int, float]  # import, build and first step
    step_s: Mapping[int, float]

    @property
    def restarts(self) -> set[int]:
        """Those in which both are known."""
        return self.cold_s.keys() & self.step_s.keys()


def break_even(one: Costs, other: Costs) -> BreakEven | None:
    """Where two contestants meet, or None if one is ahead from first to last."""
    shared = sorted(one.restarts & other.restarts)
    if not shared:
        return None
    rows = [(one.cold_s[r], other.cold_s[r], one.step_s[r], other.step_s[r]) for r in shared]
    cold_one, cold_other, step_one, step_other = _means(rows)
    behind, gained = cold_one - cold_other, step_other - step_one
    if behind * gained <= 0:
        return None
    if behind < 0:
        return break_even(other, one)
    steps, n = behind / gained, len(rows)
    if n < FEWEST:
        return BreakEven(steps, None, None, n)
    import numpy as np

    drawn = jointly(rows)
    late, fast = drawn[:, 0] - drawn[:, 1], drawn[:, 3] - drawn[:, 2]
    crossing = np.divide(late, fast, out=np.full_like(late, math.inf), where=fast > 0)
    # Resamples with both signs turned over count against both ends.
    low = around(steps, np.where(late > 0, crossing, 0.0), n).low
    high = around(steps, np.where(fast > 0, np.maximum(crossing, 0.0), math.inf), n).high
    return BreakEven(steps, low, high, n)


def total_s(costs: Costs, steps: Sequence[int]) -> list[Estimate]:
    """The time from nothing to the end of so many steps, for each number of steps."""
    rows = [(costs.cold_s[r], costs.step_s[r]) for r in sorted(costs.restarts)]
    if not rows:
        raise ValueError("nothing to estimate from")
    cold, step = _means(rows)
    n = len(rows)
    if n < FEWEST:
        return [Estimate(cold + count * step, None, None, n) for count in steps]
    drawn = jointly(rows)
    return [around(cold + count * step, drawn[:, 0] + count * drawn[:, 1], n) for count in steps]


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    columns = zip(*rows, strict=True)
    return [math.exp(math.fsum(map(math.log, column)) / len(rows)) for column in columns]
