"""From trials to a ranking: values, paired ratios, ties. Pure.

A contestant is a mapping from round to the value of its trial in that round; contestants are
compared only over the rounds they both finished, so what slowed a whole round slows both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tensorstone.bench.bootstrap import Estimate, geometric
from tensorstone.bench.results import Block

Values = Mapping[int, float]  # round -> seconds a step

# With too few rounds for an interval, only a difference this large in every round is one.
ROUGH_FLOOR = 0.25


def trial_value(blocks: Sequence[Block]) -> float:
    """Seconds a step: the median block, so that one disturbed block does not count."""
    return statistics.median(block.step_s for block in blocks)


def paired_ratio(slower: Values, faster: Values) -> Estimate | None:
    """slower / faster over the rounds they share; None if they share none."""
    rounds = sorted(slower.keys() & faster.keys())
    return geometric([slower[r] / faster[r] for r in rounds]) if rounds else None


def tied(slower: Values, faster: Values, floor: float = 0.0) -> bool:
    """Whether the difference is inside the noise: the interval, widened by the machine's noise
    floor, holds 1."""
    ratio = paired_ratio(slower, faster)
    if ratio is None:
        return True
    if ratio.low is None or ratio.high is None:
        margin = math.log1p(max(floor, ROUGH_FLOOR))
        logs = [math.log(slower[r] / faster[r]) for r in slower.keys() & faster.keys()]
        return min(logs) <= margin and max(logs) >= -margin
    margin = math.log1p(floor)
    return math.log(ratio.low) <= margin and math.log(ratio.high) >= -margin


@dataclass(frozen=True)
class Standing:
    """One contestant's place. `ratio` is to the fastest, whose own is 1."""

    name: str
    rank: int
    step: Estimate
    ratio: Estimate | None


def ranking(contestants: Mapping[str, Values], floor: float = 0.0) -> list[Standing]:
    """Fastest first, ties sharing a rank.

    "Tied" is not transitive (A~B and B~C, yet A<C), so a group is defined by its leader: its
    fastest member. Going down the list, whoever is tied with the leader shares its rank; the first
    who is not leads the next group, with its own place as rank (1, 1, 3, ...).
    """
    steps = {name: geometric(list(values.values())) for name, values in contestants.items()}
    names = sorted(steps, key=lambda name: (steps[name].value, name))
    standings: list[Standing] = []
    leader, rank = "", 0
    for place, name in enumerate(names, start=1):
        if not leader or not tied(contestants[name], contestants[leader], floor):
            leader, rank = name, place
        ratio = paired_ratio(contestants[name], contestants[names[0]])
        standings.append(Standing(name, rank, steps[name], ratio))
    return standings


def widest_interval(contestants: Mapping[str, Values]) -> float | None:
    """The widest half-width among those that decide a ranking: everyone against the fastest (a
    lone contestant: its own). None while one of them has no interval."""
    standings = ranking(contestants)
    if not standings:
        return None
    decisive = [standing.ratio for standing in standings[1:]] or [standings[0].step]
    widths = [estimate.half_width if estimate else None for estimate in decisive]
    known = [width for width in widths if width is not None]
    return max(known) if len(known) == len(widths) else None


def noise_floor(one: Values, other: Values) -> float:
    """What a difference must exceed here to be one, from the same contestant raced against itself:
    how far from 1 their ratio came out, and one standard error more."""
    logs = [math.log(one[r] / other[r]) for r in sorted(one.keys() & other.keys())]
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    return math.expm1(abs(statistics.fmean(logs)) + error)
