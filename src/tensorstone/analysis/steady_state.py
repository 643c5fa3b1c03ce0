"""What the step times of one process did while it ran: stay, settle, slow down, drift, return.

The kinds are those of Barrett et al. 2017 ("Virtual Machine Warmup Blows Hot and Cold"), who found
that a process which has run for long need not have reached its best, nor anything steady. All is
done on logarithms, so that "1 %" means the same for a microsecond and for a minute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

from tensorstone.analysis.change_points import noise, segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["flat", "warm-up", "slow-down", "unsteady"]
Pieces = list[tuple[int, int]]

FEWEST = 8  # blocks; fewer say nothing about their course
SAME = math.log(1.01)  # levels closer than this are one level
LASTS = 0.25  # of the series: a shorter last level may not be the last
FALSE_ALARMS = 0.01
CHANCE_OF_EACH = FALSE_ALARMS / 2  # of each of the two families of periods
AT_ONCE = 2**20  # blocks in all periods that are looked at together
RETURNS = 5  # a slow block that comes back less often has no period that could be told from chance


@dataclass(frozen=True)
class Course:
    kind: Kind  # flat: one level; warm-up: ends at its fastest; slow-down: ends slower
    steady_from: int  # the first block of the last level
    levels: tuple[float, ...]  # seconds a step of each level, in order


def course(step_s: Sequence[float]) -> Course:
    """The levels a process went through, and what they amount to."""
    import numpy as np

    if not step_s:
        raise ValueError("no blocks, no course")
    logs = np.log(np.array(step_s))
    pieces = _levels(logs)
    levels = tuple(float(np.median(step_s[start:end])) for start, end in pieces)
    start, end = pieces[-1]
    return Course(_kind(levels, (end - start) / len(logs)), start, levels)


def _kind(levels: tuple[float, ...], last_share: float) -> Kind:
    if len(levels) == 1:
        return "flat"
    if last_share < LASTS:
        return "unsteady"
    return "warm-up" if math.log(levels[-1] / min(levels)) <= SAME else "slow-down"


def trend(step_s: Sequence[float]) -> float | None:
    """How much slower a step becomes in 100 blocks (0.02: by 2 %), if it surely changes at all.

    Mann-Kendall's test, which asks only which of two blocks is slower, with its variance corrected
    for blocks that resemble their neighbours (Yue & Wang 2004); and Theil and Sen's slope, the
    median over all pairs of blocks.
    """
    import numpy as np

    n = len(step_s)
    if n < FEWEST:
        return None
    logs = np.log(np.array(step_s))
    early, late = np.triu_indices(n, k=1)
    rise = logs[late] - logs[early]
    score = float(np.sign(rise).sum())
    ties = np.unique(logs, return_counts=True)[1]
    variance = float(n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
    error = math.sqrt(variance * noise(logs).inflation)
    # One less: the score moves in steps of two.
    if abs(score) - 1 <= NormalDist().inv_cdf(1 - FALSE_ALARMS / 2) * error:
        return None
    return math.expm1(100 * float(np.median(rise / (late - early))))


def period(step_s: Sequence[float]) -> int | None:
    """Every how many blocks a slow one returns, such as one with a garbage collection in it.

    If one in p blocks is slow, then of the slowest blocks too many are a multiple of p apart. How
    probable that is by chance follows from counting alone (the hypergeometric distribution),
    however wild the noise; and since many periods are tried, each must be that much surer.
    """
    import numpy as np

    n = len(step_s)
    if n < FEWEST:
        return None
    logs = np.log(np.array(step_s))
    for start, end in _levels(logs):
        logs[start:end] -= np.median(logs[start:end])
    families = (_whole_periods(n), _periods_between(n))
    chance, every = min(_likeliest(logs, list(periods)) for periods in families)
    return round(every) if chance < CHANCE_OF_EACH else None


def _likeliest(logs: NDArray[np.float64], periods: Sequence[float]) -> tuple[float, float]:
    """The period that explains the slowest blocks best, and before it its probability by chance,
    corrected for all that were tried; none that is too probable to be said."""
    import numpy as np

    n, every, tried = len(logs), np.array(periods), 0
    speed = np.empty(n, dtype=int)  # 0 is the slowest
    speed[np.argsort(-logs, kind="stable")] = np.arange(n)
    # As many accidents may be among the slowest as there are returns, yet never most blocks.
    drawn = np.minimum(n // 3, 2 * np.ceil(n / every).astype(int))
    odds = np.empty(len(every))
    returning = np.empty(len(every), dtype=int)  # the phase in which most of the slowest are
    rows = max(1, AT_ONCE // n)
    for start in range(0, len(every), rows):
        some = slice(start, start + rows)
        phase = _phases(n, tuple(periods[some]))
        width = int(phase.max(initial=0)) + 1
        tried += int(phase.max(axis=1).sum()) + len(phase)
        slow = speed < drawn[some, np.newaxis]
        places = (np.arange(len(phase))[:, np.newaxis] * width + phase)[slow]
        hits = np.bincount(places, minlength=len(phase) * width).reshape(len(phase), width)
        returning[some] = hits.argmax(axis=1)
        members = (phase == returning[some, np.newaxis]).sum(axis=1)
        counts = zip(hits.max(axis=1).tolist(), members.tolist(), drawn[some].tolist(), strict=True)
        odds[some] = [_at_least(count, n, among, of) for count, among, of in counts]
    for best in np.argsort(odds, kind="stable"):
        if odds[best] * tried >= CHANCE_OF_EACH:
            break
        there = _phases(n, (periods[best],))[0] == returning[best]
        if np.median(logs[there]) - np.median(logs[~there]) > SAME:
            return float(odds[best]) * tried, periods[best]
    return math.inf, 0.0


@lru_cache(maxsize=32)
def _phases(n: int, periods: tuple[float, ...]) -> NDArray[np.int32]:
    """Where each of n blocks is within each period."""
    import numpy as np

    into = np.arange(n) % np.array(periods)[:, np.newaxis]
    found: NDArray[np.int32] = np.floor(into).astype(np.int32)
    return found


def _whole_periods(n: int) -> Iterable[float]:
    return range(2, n // RETURNS + 1)


def _periods_between(n: int) -> Iterable[float]:
    """A collection every 37 steps returns every 12.3 blocks of three. So close that none is missed
    by more than half a block over the whole series."""
    every = 2.0
    while every < n / RETURNS:
        yield every
        every *= 1 + 1 / n


@lru_cache(maxsize=2**17)
def _at_least(hits: int, n: int, members: int, drawn: int) -> float:
    """The probability that so many of `drawn` out of n blocks, or more, are among the members."""
    fewest, others = max(hits, drawn - (n - members)), n - members - drawn
    ways = math.comb(members, fewest) * math.comb(n - members, drawn - fewest)
    one = total = ways / math.comb(n, drawn)
    for count in range(fewest, min(members, drawn)):
        one *= (members - count) * (drawn - count) / ((count + 1) * (others + count + 1))
        total += one
    return total


def _levels(logs: NDArray[np.float64]) -> Pieces:
    """The pieces between change-points, the closest joined first, until all neighbours differ."""
    return list(_levels_of(logs.tobytes()))


@lru_cache(maxsize=2**14)  # asked for by whoever looks at the same process
def _levels_of(series: bytes) -> tuple[tuple[int, int], ...]:
    import numpy as np

    logs = np.frombuffer(series)
    if len(logs) < FEWEST:
        return ((0, len(logs)),)
    pieces = segments(logs)
    while len(pieces) > 1:
        gaps = np.abs(np.diff([np.median(logs[start:end]) for start, end in pieces]))
        closest = int(np.argmin(gaps))
        if gaps[closest] > SAME:
            break
        pieces[closest : closest + 2] = [(pieces[closest][0], pieces[closest + 1][1])]
    return tuple(pieces)
