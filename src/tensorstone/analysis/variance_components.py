"""Variance between restarts and between turns of one restart, and how many turns to run.

More turns in a process that happened to be slow say ever more exactly how slow it was. So time is
best spent where the variation is (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable
time"): restarts cost more than turns, and are worth it only as far as they differ, but never so
few that Student's quantile is most of the interval.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tensorstone.analysis.bootstrap import CLAIM, CONFIDENCE, FEWEST, student


@dataclass(frozen=True)
class Components:
    """Standard deviations of log ratios: 0.02 is about 2 %."""

    between: float  # restarts
    within: float  # one restart, from turn to turn

    def error(self, turns: int) -> float:
        """Standard error of one restart's mean over so many turns."""
        return math.sqrt(self.between**2 + self.within**2 / turns)


def components(groups: Sequence[Sequence[float]]) -> Components | None:
    """From log ratios of each restart, turn by turn; None below two restarts.

    The mean squares of an analysis of variance set equal to what is expected of them, for groups of
    any sizes (Searle, Casella & McCulloch 1992). With one turn in every restart the two cannot be
    told apart, and all of it counts as between.
    """
    groups = [group for group in groups if group]
    if len(groups) < 2:
        return None
    sizes = [len(group) for group in groups]
    total = sum(sizes)
    means = [statistics.fmean(group) for group in groups]
    grand = math.fsum(value for group in groups for value in group) / total
    apart = math.fsum(n * (mean - grand) ** 2 for n, mean in zip(sizes, means, strict=True))
    inside = math.fsum(
        (value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group
    )
    turns_left = total - len(groups)
    within = inside / turns_left if turns_left else 0.0
    typical_size = (total - sum(n * n for n in sizes) / total) / (len(groups) - 1)
    between = (apart / (len(groups) - 1) - within) / typical_size
    return Components(math.sqrt(max(0.0, between)), math.sqrt(within))


def half_width(
    found: Components, turns: int, restarts: int, confidence: float = CONFIDENCE
) -> float:
    """What Student's interval over restarts can be expected to have, on the log scale."""
    return student(restarts, confidence) * found.error(turns) / math.sqrt(restarts)


@dataclass(frozen=True)
class Prices:
    """What a restart costs before its first turn, and a turn."""

    restart_s: float
    turn_s: float

    def of(self, restarts: int, turns: int) -> float:
        return restarts * (self.restart_s + turns * self.turn_s)


def best_turns(
    found: Components, prices: Prices, precision: float, budget_s: float, choices: range
) -> int:
    """How many turns each restart should hold, so that a difference as large as `precision` can be
    claimed soonest; or, where the budget does not reach that far, the smallest one.

    Few restarts with many turns would leave less error, but nobody could say so: an interval from
    few restarts is wide whatever they hold.
    """

    def worse(turns: int) -> tuple[int, float]:
        if precision > 0:
            needed_s = seconds_needed(found, turns, prices, precision, CLAIM)
            if needed_s <= budget_s:
                return 0, needed_s
        restart_s = prices.of(1, turns)
        if FEWEST * restart_s <= budget_s:
            return 1, half_width(found, turns, int(budget_s / restart_s), CLAIM)
        return 2, restart_s

    return min(choices, key=worse)


def seconds_needed(
    found: Components,
    turns: int,
    prices: Prices,
    precision: float,
    confidence: float = CONFIDENCE,
) -> float:
    """Machine time until Student's interval over restarts can be expected within ±precision, a
    half-width on the log scale, from the first restart on."""
    if precision <= 0:
        raise ValueError("no time is enough for a precision of zero")
    # What the normal quantile asks for is too few, by little: Student's is larger.
    normal = NormalDist().inv_cdf(1 - (1 - confidence) / 2)
    restarts = max(FEWEST, math.ceil((normal * found.error(turns) / precision) ** 2))
    while half_width(found, turns, restarts, confidence) > precision:
        restarts += 1
    return prices.of(restarts, turns)
