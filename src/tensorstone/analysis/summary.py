"""From a contestant's trials to what a cell shows, by the table of metrics. Pure.

The processes are the independent samples: each gives one value, and intervals come from the
bootstrap over processes. A percentile is of all calls of all processes together; its interval is as
wide, relative to it, as that of the processes' own percentiles.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from tensorstone.analysis import messages
from tensorstone.analysis.bootstrap import geometric
from tensorstone.analysis.scores import warm
from tensorstone.results.estimate import Estimate
from tensorstone.results.metrics import SHORTEST_S, TABLE, Metric
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Block, Trial


def outcome(trials: Sequence[Trial]) -> Outcome:
    """A cell is ok if every trial was; else it ends as its first failure did."""
    if not trials:
        return Outcome("failed", messages.NEVER_STARTED)
    return together([trial.outcome for trial in trials])


def deployment_outcome(trials: Iterable[Trial]) -> Outcome | None:
    """How saving, loading and predicting went, in all trials that tried."""
    tried = [trial.deployment.outcome for trial in trials if trial.deployment]
    return together(tried) if tried else None


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Several outcomes of the same thing as one: the first failure, and how often."""
    failures = [outcome for outcome in outcomes if not outcome.ok]
    if not failures:
        return outcomes[0]
    first = failures[0]
    if len(failures) == len(outcomes):
        return first
    reason = messages.in_some_trials(first.reason, len(failures), len(outcomes))
    return Outcome(first.status, reason, first.last_output)


def metrics(trials: Iterable[Trial], batch: int) -> dict[str, Estimate]:
    """What the good trials of one contestant, fed by batches of this size, say together."""
    good = [_warmed(trial) for trial in trials if trial.outcome.ok]
    found = {metric.key: _figure(metric, good, batch) for metric in TABLE}
    return {key: figure for key, figure in found.items() if figure is not None}


def _figure(metric: Metric, trials: Sequence[Trial], batch: int) -> Estimate | None:
    match metric.how:
        case "per-step" if metric.of_block:
            return seen(_a_step(trials, metric.of_block))
        case "percentile" if metric.calls:
            calls = [metric.calls(trial.deployment) for trial in trials if trial.deployment]
            return percentile(calls, metric.share)
        case "mean" | "seen" if metric.read:
            values = [v for trial in trials if (v := metric.read(trial)) is not None]
            if metric.how == "mean":  # a clock that did not move says nothing
                values = [value for value in values if value > 0]
            if metric.rate:
                values = [batch / max(value, SHORTEST_S) for value in values]
            return mean(values) if metric.how == "mean" else seen(values)
    return None


def _warmed(trial: Trial) -> Trial:
    """With the steps and seconds until it was warm: before its turns, and in those that showed it
    was not yet."""
    if not trial.blocks:
        return trial
    early = trial.blocks[: warm(tuple(block.step_s for block in trial.blocks))]
    if not early:
        return trial
    return replace(
        trial,
        warmup_steps=trial.warmup_steps + sum(block.steps for block in early),
        warmup_s=trial.warmup_s + sum(block.wall_s for block in early),
    )


def _a_step(trials: Iterable[Trial], count: Callable[[Block], float | None]) -> list[float]:
    """One value a process: of all its blocks together."""
    found = []
    for trial in trials:
        counts = [count(block) for block in trial.blocks]
        known = [number for number in counts if number is not None]
        if counts and len(known) == len(counts):
            found.append(sum(known) / sum(block.steps for block in trial.blocks))
    return found


def percentile(processes: Sequence[Sequence[float]], share: float) -> Estimate | None:
    """The share's percentile of the seconds of all calls, each process's its own sequence."""
    import numpy as np

    called = [calls for calls in processes if calls]
    if not called:
        return None
    value = max(float(np.quantile(np.concatenate(called), share)), SHORTEST_S)
    each = geometric([max(float(np.quantile(calls, share)), SHORTEST_S) for calls in called])
    # The quotient first: rounded the other way round, an end may land beyond the value.
    low, high = (end and value * (end / each.value) for end in (each.low, each.high))
    return Estimate(value, low, high, sum(map(len, called)))


def notes(trials: Iterable[Trial]) -> list[str]:
    """Every different thing the trials remarked."""
    return list(dict.fromkeys(note for trial in trials for note in trial.notes))


def absent(trials: Iterable[Trial]) -> list[str]:
    """Why feeding has no figure, where it has none."""
    reasons = []
    for trial in trials:
        if trial.feeding and trial.feeding.absent:
            reasons.append(messages.no_feeding_rate(trial.feeding.absent))
        if trial.worked_feeding and trial.worked_feeding.absent:
            reasons.append(messages.no_feeding_rate_with_workers(trial.worked_feeding.absent))
    return list(dict.fromkeys(reasons))


def mean(values: Sequence[float]) -> Estimate | None:
    """The geometric mean over processes and its interval."""
    return geometric(values) if values else None


def seen(values: Sequence[float]) -> Estimate | None:
    """The median, and the least and most seen: these are readings, not estimates."""
    if not values:
        return None
    return Estimate(statistics.median(values), min(values), max(values), len(values), "range")
