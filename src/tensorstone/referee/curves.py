"""From trainings with several seeds to figures with intervals. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

from tensorstone.bench import summary
from tensorstone.bench.bootstrap import FEWEST
from tensorstone.bench.epoch import Epoch
from tensorstone.bench.summary import Metric
from tensorstone.proof.seeds import student
from tensorstone.referee.judging import at_least_as_good

Runs = Sequence[Sequence[Epoch]]  # a seed's epochs each, all of one length


@dataclass(frozen=True)
class Point:
    """An epoch over all seeds: metric against time is `metric` against `train_s`."""

    epoch: int
    loss: Metric
    metric: Metric
    epoch_s: Metric
    train_s: Metric  # from the beginning to the end of this epoch

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def curve(runs: Runs, metric: str) -> tuple[Point, ...]:
    """One point an epoch."""
    spent = [list(accumulate(epoch.train_s for epoch in run)) for run in runs]
    return tuple(
        Point(
            epoch=epochs[0].number,
            loss=mean([epoch.loss for epoch in epochs], "loss"),
            metric=mean([epoch.metric for epoch in epochs], metric),
            epoch_s=_estimated([epoch.train_s for epoch in epochs], "s"),
            train_s=_estimated([times[index] for times in spent], "s"),
        )
        for index, epochs in enumerate(zip(*runs, strict=True))
    )


def figures(runs: Runs, metric: str, batch: int) -> dict[str, Metric]:
    """What a cell says of its training as a whole."""
    times = [sum(epoch.train_s for epoch in run) for run in runs]
    samples = [batch * sum(epoch.steps for epoch in run) for run in runs]
    rates = [count / time for count, time in zip(samples, times, strict=True)]
    best = [best_epoch(run, metric) for run in runs]
    return {
        "final_metric": mean(finals(runs), metric),
        "best_epoch": Metric(statistics.median(best), min(best), max(best), "epoch", len(best)),
        "train_s": _estimated(times, "s"),
        "train_samples_per_s": _estimated(rates, "samples/s"),
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


def time_to(points: Sequence[Point], metric: str, target: float) -> Metric | None:
    """Training seconds to the end of the first epoch whose mean metric reaches the target."""
    for point in points:
        if at_least_as_good(metric, point.metric.value, target):
            return point.train_s
    return None


def mean(values: Sequence[float], unit: str) -> Metric:
    """The mean with Student's interval: metrics may be negative, so no logarithms here."""
    centre = statistics.fmean(values)
    if len(values) < FEWEST:
        return Metric(centre, None, None, unit, len(values))
    half = student(len(values)) * statistics.stdev(values) / math.sqrt(len(values))
    return Metric(centre, centre - half, centre + half, unit, len(values))


def _estimated(values: Sequence[float], unit: str) -> Metric:
    """Times and rates are positive and skewed: their geometric mean, as everywhere."""
    found = summary.estimated(values, unit)
    assert found is not None
    return found
