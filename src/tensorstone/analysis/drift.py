"""What most processes of a contestant did over time: slow down, drift, pause at intervals. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from tensorstone.analysis.scores import warm
from tensorstone.analysis.steady_state import course, period, trend
from tensorstone.results.trial import Trial

FEWEST = 3  # processes that do the same: one may have met anything


def drifts(trials: Iterable[Trial]) -> list[str]:
    """Each in plain words, if at least three processes and most of all had it."""
    series = [
        [block.step_s for block in trial.blocks]
        for trial in trials
        if trial.outcome.ok and trial.blocks
    ]
    steady = [steps[warm(tuple(steps)) :] for steps in series]
    return [
        *_said(series, _slows_down, "slowed down while it ran, in {count} of {all} processes"),
        *_said(
            steady,
            trend,
            "its step time changed by {value:+.1%} over 100 blocks, in {count} of {all} processes",
        ),
        *_said(
            steady,
            period,
            "one block in about {value:.0f} was slower, in {count} of {all} processes",
        ),
    ]


def _slows_down(step_s: Sequence[float]) -> float | None:
    went = course(step_s)
    return went.levels[-1] / min(went.levels) if went.kind == "slow-down" else None


def _said(
    series: Sequence[Sequence[float]], find: Callable[[Sequence[float]], float | None], text: str
) -> list[str]:
    found = [value for steps in series if (value := find(steps)) is not None]
    if len(found) < FEWEST or len(found) * 2 <= len(series):
        return []
    return [text.format(value=statistics.median(found), count=len(found), all=len(series))]
