"""From a contestant's trials to what a cell shows. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tensorstone.bench.bootstrap import geometric
from tensorstone.bench.outcome import Outcome
from tensorstone.bench.results import Block, Trial
from tensorstone.bench.scores import warm


@dataclass(frozen=True)
class Metric:
    value: float
    low: float | None
    high: float | None
    unit: str
    samples: int


def outcome(trials: Sequence[Trial]) -> Outcome:
    """A cell is ok if every trial was; else it ends as its first failure did."""
    if not trials:
        return Outcome("failed", "it was never started")
    return together([trial.outcome for trial in trials])


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Several outcomes of the same thing as one: the first failure, and how often."""
    failures = [outcome for outcome in outcomes if not outcome.ok]
    if not failures:
        return outcomes[0]
    first = failures[0]
    if len(failures) == len(outcomes):
        return first
    reason = f"{first.reason} (in {len(failures)} of {len(outcomes)} trials)"
    return Outcome(first.status, reason, first.last_words)


def metrics(trials: Iterable[Trial]) -> dict[str, Metric]:
    """What the good trials of one contestant say together."""
    good = [trial for trial in trials if trial.outcome.ok and trial.blocks]
    if not good:
        return {}
    found = {
        "step_s": times([trial.step_s for trial in good]),
        "cold_import_s": times([t.cold_import_s for t in good if t.cold_import_s]),
        "cold_build_s": times([t.cold_build_s for t in good if t.cold_build_s]),
        "cold_first_step_s": times([t.cold_first_step_s for t in good if t.cold_first_step_s]),
        "peak_rss_bytes": seen([t.peak_rss_bytes for t in good if t.peak_rss_bytes], "B"),
        "private_bytes": seen([t.private_bytes for t in good if t.private_bytes], "B"),
        "gpu_bytes": seen([t.gpu_bytes for t in good if t.gpu_bytes is not None], "B"),
        "running_threads": seen([t.running_threads for t in good if t.running_threads], "threads"),
        "cpu_use": seen([t.cpu_use for t in good if t.cpu_use is not None], "cores"),
        "warmup_steps": seen([_warm_up(t)[0] for t in good], "steps"),
        "warmup_s": times([_warm_up(t)[1] for t in good if t.warmup_s]),
        **{name: seen(_a_step(good, count), unit) for name, (count, unit) in _A_STEP.items()},
    }
    return {name: metric for name, metric in found.items() if metric is not None}


def _warm_up(trial: Trial) -> tuple[int, float]:
    """Steps and seconds until it was warm: before its turns, and in those that showed it was not
    yet."""
    early = trial.blocks[: warm([block.step_s for block in trial.blocks])]
    steps = trial.warmup_steps + sum(block.steps for block in early)
    return steps, trial.warmup_s + sum(block.wall_s for block in early)


# What a block counts, by step. None where the machine does not count it.
_A_STEP: dict[str, tuple[Callable[[Block], float | None], str]] = {
    "step_user_s": (lambda b: None if b.system_s is None else b.cpu_s - b.system_s, "s"),
    "step_system_s": (lambda b: b.system_s, "s"),
    "step_faults": (lambda b: b.minor_faults + b.major_faults, "faults"),
    "step_switches": (lambda b: b.voluntary + b.involuntary, "switches"),
    "step_instructions": (lambda b: b.instructions, "instructions"),
    "step_energy_j": (lambda b: b.energy_j, "J"),
}


def _a_step(trials: Iterable[Trial], count: Callable[[Block], float | None]) -> list[float]:
    """One value a process: of all its blocks together."""
    found = []
    for trial in trials:
        counts = [count(block) for block in trial.blocks]
        known = [number for number in counts if number is not None]
        if len(known) == len(counts):
            found.append(sum(known) / sum(block.steps for block in trial.blocks))
    return found


def notes(trials: Iterable[Trial]) -> list[str]:
    """Every different thing the trials remarked."""
    return list(dict.fromkeys(note for trial in trials for note in trial.notes))


def times(values: Sequence[float]) -> Metric | None:
    return estimated(values, "s")


def estimated(values: Sequence[float], unit: str) -> Metric | None:
    """The geometric mean over processes and its interval."""
    if not values:
        return None
    estimate = geometric(values)
    return Metric(estimate.value, estimate.low, estimate.high, unit, estimate.samples)


def seen(values: Sequence[float], unit: str) -> Metric | None:
    """The median, and the least and most seen: these are readings, not estimates."""
    if not values:
        return None
    return Metric(statistics.median(values), min(values), max(values), unit, len(values))
