"""From trainings with several seeds to figures with intervals. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import accumulate

from tensorstone.analysis import summary
from tensorstone.analysis.bootstrap import FEWEST
from tensorstone.analysis.seeds import student
from tensorstone.results.comparison import CurvePoint
from tensorstone.results.estimate import Estimate
from tensorstone.results.trial import Epoch

LARGER_IS_BETTER, SMALLER_IS_BETTER = frozenset({"accuracy", "r2"}), frozenset({"mse", "mae"})
Runs = Sequence[Sequence[Epoch]]  # a seed's epochs each, all of one length


def curve(runs: Runs) -> tuple[CurvePoint, ...]:
    """One point an epoch."""
    spent = [list(accumulate(epoch.train_s for epoch in run)) for run in runs]
    return tuple(
        CurvePoint(
            epoch=epochs[0].number,
            loss=mean([epoch.loss for epoch in epochs]),
            metric=mean([epoch.metric for epoch in epochs]),
            epoch_s=_estimated([epoch.train_s for epoch in epochs]),
            train_s=_estimated([times[index] for times in spent]),
        )
        for index, epochs in enumerate(zip(*runs, strict=True))
    )


def figures(runs: Runs, metric: str, batch: int) -> dict[str, Estimate]:
    """What a cell says of its training as a whole."""
    times = [sum(epoch.train_s for epoch in run) for run in runs]
    samples = [batch * sum(epoch.steps for epoch in run) for run in runs]
    rates = [count / time for count, time in zip(samples, times, strict=True)]
    best = [best_epoch(run, metric) for run in runs]
    return {
        "final_metric": mean(finals(runs)),
        "best_epoch": Estimate(statistics.median(best), min(best), max(best), len(best), "range"),
        "train_s": _estimated(times),
        "train_samples_per_s": _estimated(rates),
    }


def finals(runs: Runs) -> list[float]:
    """The metric after the last epoch, with each seed."""
    return [run[-1].metric for run in runs]


def best_epoch(run: Sequence[Epoch], metric: str) -> int:
    """The first that was as good as any."""
    first = run[0]
    for epoch in run[1:]:
        if not at_least_as_good(metric, first.metric, epoch.metric):
            first = epoch
    return first.number


def time_to(points: Sequence[CurvePoint], metric: str, target: float) -> Estimate | None:
    """Training seconds to the end of the first epoch whose mean metric reaches the target."""
    for point in points:
        if at_least_as_good(metric, point.metric.value, target):
            return point.train_s
    return None


def mean(values: Sequence[float]) -> Estimate:
    """The mean with Student's interval: metrics may be negative, so no logarithms here."""
    centre = statistics.fmean(values)
    if len(values) < FEWEST:
        return Estimate(centre, None, None, len(values))
    half = student(len(values)) * statistics.stdev(values) / math.sqrt(len(values))
    return Estimate(centre, centre - half, centre + half, len(values))


def _estimated(values: Sequence[float]) -> Estimate:
    """Times and rates are positive and skewed: their geometric mean, as everywhere."""
    found = summary.mean(values)
    assert found is not None
    return found


def at_least_as_good(metric: str, one: float, other: float) -> bool:
    if metric in LARGER_IS_BETTER:
        return one >= other
    if metric in SMALLER_IS_BETTER or not metric:  # a run of version 0.1 did not keep it
        return one <= other
    raise ValueError(f"nobody said whether a larger or a smaller {metric!r} is better")
