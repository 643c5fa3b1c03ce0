"""What is said beside a run's figures: why a cell has none, and what its processes did.

Each is one line, shown behind the dialect's name.
"""

from __future__ import annotations

# Why a cell has no figures.

NEVER_STARTED = "it was never started"
UNFINISHED = "the run ended before this dialect was measured; run the same command again to go on"


def in_some_trials(reason: str, failed: int, trials: int) -> str:
    return f"{reason} (in {failed} of {trials} trials)"


def after_training(status: str, reason: str) -> str:
    return f"after training: {status}: {reason}"


def reloaded_differently(error: float | None, tolerance: float | None) -> str:
    off = "cannot be compared with" if error is None else f"are off by {error:.1e} from"
    allowed = "nothing" if tolerance is None else f"{tolerance:.1e}"
    return (
        f"reload: predictions after saving and loading {off} those before saving "
        f"(allowed: {allowed}, relative)"
    )


def trained_differently(metric: str, error: float | None, tolerance: float | None) -> str:
    return (
        f"outcome: its final {metric} differs by {error:.3g} from the other dialects; "
        f"the variation between seeds allows {tolerance:.3g}"
    )


def no_feeding_rate(why: str) -> str:
    return f"no feeding rate: {why}"


def no_feeding_rate_with_workers(why: str) -> str:
    return f"no feeding rate with workers: {why}"


# Why the outcome of a training is not judged.

NO_OTHER_DIALECT = "no other dialect finished training; name at least two dialects"
NO_SPREAD = "the other dialects do not spread: their final metric is equal for every seed"


def too_few_seeds(fewest: int) -> str:
    return f"the variation between seeds takes at least {fewest} seeds to see: --seeds {fewest}"


# What most of a dialect's processes did over time.


def slowed_down(_: float, count: int, processes: int) -> str:
    return f"slowed down while it ran, in {count} of {processes} processes"


def drifted(change: float, count: int, processes: int) -> str:
    return (
        f"its step time changed by {change:+.1%} per 100 blocks, "
        f"in {count} of {processes} processes"
    )


def paused(blocks: float, count: int, processes: int) -> str:
    return f"one block in about {blocks:.0f} was slower, in {count} of {processes} processes"
