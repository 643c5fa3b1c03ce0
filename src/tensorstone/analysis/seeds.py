"""The `outcome` level: a dialect's final metric held against the spread of seeds.

Every dialect is trained with the same seeds. A dialect passes if its mean lies where one further
seed of the others could have landed: within Student's 95 % interval for one more run, made from the
spread of the others' own seeds, about the median of the others' means. docs/training.md says why.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from tensorstone.analysis import messages
from tensorstone.analysis.bootstrap import CONFIDENCE, FEWEST
from tensorstone.results.proof import Level


def judge(finals: Mapping[str, Sequence[float]], resolution: float = 0.0) -> dict[str, Level]:
    """Every dialect's judgement from its final metric with each seed.

    `resolution` is what float32 can tell of the metric: below it there is no difference. Without
    it, models that all learn the same thing perfectly would be told apart by their rounding.
    """
    return {name: _judge(name, finals, resolution) for name in finals}


def student(samples: int) -> float:
    """How many estimated standard deviations hold 95 %, estimated from so many samples."""
    from scipy.special import stdtrit

    return float(stdtrit(samples - 1, 1 - (1 - CONFIDENCE) / 2))


def _judge(name: str, finals: Mapping[str, Sequence[float]], resolution: float) -> Level:
    others = [values for other, values in finals.items() if other != name]
    if not others:
        return Level(None, None, None, reason=messages.NO_OTHER_DIALECT)
    seeds = min(map(len, finals.values()))
    if seeds < FEWEST:
        return Level(None, None, None, reason=messages.too_few_seeds(FEWEST))
    error = abs(statistics.fmean(finals[name]) - _centre(others))
    spread = math.sqrt(statistics.fmean(statistics.variance(values) for values in others))
    if not spread and error > resolution:
        return Level(error, None, None, reason=messages.NO_SPREAD)
    # Dialects share their seeds, so more dialects are not more seeds: seeds − 1 degrees of freedom.
    # √(1 + 1/seeds): one further run, about a centre that is itself the mean of so many.
    tolerance = student(seeds) * spread * math.sqrt(1 + 1 / seeds)
    tolerance = max(tolerance, resolution)
    return Level(error, tolerance, error <= tolerance)


def _centre(others: Sequence[Sequence[float]]) -> float:
    """The median, so that one dialect that is off does not take the others with it."""
    return statistics.median(statistics.fmean(values) for values in others)
