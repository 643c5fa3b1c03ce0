"""From trials to the figures of feeding and of life after training. Pure.

The processes are the independent samples, as for steps: each gives the median of its calls, and
intervals come from the bootstrap over processes. A percentile is of all calls of all processes
together; its interval is as wide, relative to it, as that of the processes' own percentiles.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from tensorstone.bench.bootstrap import geometric
from tensorstone.bench.outcome import Outcome
from tensorstone.bench.results import Feeding, Life, Trial
from tensorstone.bench.summary import Metric, estimated, seen, times, together

SHORTEST_S = 1e-9  # a clock that did not move must not divide by zero


def metrics(trials: Iterable[Trial], batch: int) -> dict[str, Metric]:
    """What the good trials of one contestant, fed by batches of this size, say together."""
    good = [trial for trial in trials if trial.outcome.ok]
    lives = [trial.life for trial in good if trial.life]
    found = {**_predicting(lives, batch), **_keeping(lives), **_feeding(good, batch)}
    return {name: metric for name, metric in found.items() if metric is not None}


def outcome(trials: Iterable[Trial]) -> Outcome | None:
    """How life after training went, in all trials that had one."""
    lives = [trial.life for trial in trials if trial.life]
    return together([life.outcome for life in lives]) if lives else None


def absent(trials: Iterable[Trial]) -> list[str]:
    """Why feeding has no figure, where it has none."""
    reasons = []
    for trial in trials:
        if trial.feeding and trial.feeding.absent:
            reasons.append(f"no feeding rate: {trial.feeding.absent}")
        if trial.worked_feeding and trial.worked_feeding.absent:
            reasons.append(f"no feeding rate with workers: {trial.worked_feeding.absent}")
    return list(dict.fromkeys(reasons))


def percentile(processes: Sequence[Sequence[float]], share: float) -> Metric | None:
    """The share's percentile of the seconds of all calls, each process's its own sequence."""
    import numpy as np

    called = [calls for calls in processes if calls]
    if not called:
        return None
    value = max(float(np.quantile(np.concatenate(called), share)), SHORTEST_S)
    each = geometric([max(float(np.quantile(calls, share)), SHORTEST_S) for calls in called])
    # The quotient first: rounded the other way round, an end may land beyond the value.
    low, high = (end and value * (end / each.value) for end in (each.low, each.high))
    return Metric(value, low, high, "s", sum(map(len, called)))


def _keeping(lives: Sequence[Life]) -> dict[str, Metric | None]:
    sizes = [life.saved_bytes for life in lives if life.saved_bytes is not None]
    return {
        "saved_bytes": seen(sizes, "B"),
        "save_s": times([life.save_s for life in lives if life.save_s]),
        "load_s": times([life.load_s for life in lives if life.load_s]),
    }


def _predicting(lives: Sequence[Life], batch: int) -> dict[str, Metric | None]:
    latencies = [life.latency_s for life in lives]
    batches = [statistics.median(life.predict_s) for life in lives if life.predict_s]
    return {
        "first_predict_s": times([life.first_predict_s for life in lives if life.first_predict_s]),
        "predict_latency_s": percentile(latencies, 0.5),
        "predict_latency_p95_s": percentile(latencies, 0.95),
        "predict_latency_p99_s": percentile(latencies, 0.99),
        "predict_throughput": _rate(batches, batch),
    }


def _feeding(trials: Sequence[Trial], batch: int) -> dict[str, Metric | None]:
    fed = [(trial, trial.feeding) for trial in trials if trial.feeding and trial.feeding.batches]
    worked = [t.worked_feeding for t in trials if t.worked_feeding and t.worked_feeding.batches]
    shares = [_batch_s(feeding) / trial.step_s for trial, feeding in fed]
    return {
        "feed_samples_per_s": _rate([_batch_s(feeding) for _, feeding in fed], batch),
        "feed_workers_samples_per_s": _rate([_batch_s(feeding) for feeding in worked], batch),
        "slice_samples_per_s": _rate([_slice_s(feeding) for _, feeding in fed], batch),
        "feed_share": estimated(shares, "of a step"),
    }


def _rate(batches_s: Sequence[float], batch: int) -> Metric | None:
    """Samples a second, given seconds a batch."""
    return estimated([batch / max(seconds, SHORTEST_S) for seconds in batches_s], "samples/s")


def _batch_s(feeding: Feeding) -> float:
    return max(statistics.median(feeding.walls_s) / feeding.batches, SHORTEST_S)


def _slice_s(feeding: Feeding) -> float:
    return statistics.median(feeding.slice_walls_s) / feeding.slices
