"""How much restarts differ, how much turns within one do, and what that means for a budget.

More turns in a process that happened to be slow say ever more exactly how slow it was. So time is
best spent where the variation is (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable
time"): restarts cost more than turns, and are worth it only as far as they differ.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tensorstone.bench.bootstrap import CONFIDENCE, FEWEST


@dataclass(frozen=True)
class Components:
    """Standard deviations of log ratios: 0.02 is about 2 %."""

    between: float  # restarts
    within: float  # one restart, from turn to turn


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


def best_turns(found: Components, restart_s: float, turn_s: float, least: int, most: int) -> int:
    """How many turns of `turn_s` each restart should hold when starting one costs `restart_s`."""
    if found.between == 0 or turn_s <= 0:
        return most
    ideal = math.sqrt(restart_s / turn_s) * found.within / found.between
    return round(min(max(ideal, least), most))


def seconds_needed(
    found: Components, turns: int, restart_s: float, turn_s: float, precision: float
) -> float:
    """Machine time until Student's interval over restarts can be expected within ±precision, a
    half-width on the log scale, from the first restart on."""
    if precision <= 0:
        raise ValueError("no time is enough for a precision of zero")
    from scipy.special import stdtrit

    quantile = 1 - (1 - CONFIDENCE) / 2
    error = math.sqrt(found.between**2 + found.within**2 / turns)  # of one restart's mean
    # What the normal quantile asks for is too few, by little: Student's is larger.
    restarts = max(FEWEST, math.ceil((NormalDist().inv_cdf(quantile) * error / precision) ** 2))
    while stdtrit(restarts - 1, quantile) * error / math.sqrt(restarts) > precision:
        restarts += 1
    return restarts * (restart_s + turns * turn_s)
