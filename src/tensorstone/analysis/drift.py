"""What most processes of a contestant did over time: slow down, drift, pause at intervals. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from tensorstone.analysis import messages
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
        *_said(series, _slows_down, messages.slowed_down),
        *_said(steady, trend, messages.drifted),
        *_said(steady, period, messages.paused),
    ]


def _slows_down(step_s: Sequence[float]) -> float | None:
    went = course(step_s)
    return went.levels[-1] / min(went.levels) if went.kind == "slow-down" else None


def _said(
    series: Sequence[Sequence[float]],
    find: Callable[[Sequence[float]], float | None],
    message: Callable[[float, int, int], str],
) -> list[str]:
    found = [value for steps in series if (value := find(steps)) is not None]
    if len(found) < FEWEST or len(found) * 2 <= len(series):
        return []
    return [message(statistics.median(found), len(found), len(series))]
