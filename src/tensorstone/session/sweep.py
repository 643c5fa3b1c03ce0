"""A sweep: the same workload at several batch sizes, or with several numbers of threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensorstone.analysis.fit import Fit, fit
from tensorstone.models.workload import Workload
from tensorstone.session.comparing import Comparison


@dataclass(frozen=True)
class Variant:
    """One race of a sweep; without one, a workload as it is."""

    base: Workload
    workload: Workload
    threads: int


def variants(
    workloads: Sequence[Workload], batches: Sequence[int], threads: Sequence[int]
) -> list[Variant]:
    """Every workload at every batch size with every number of threads."""
    return [
        Variant(base, workload, count)
        for base in workloads
        for workload in ([at_batch(base, size) for size in batches] or [base])
        for count in threads
    ]


def at_batch(workload: Workload, size: int) -> Workload:
    """The same but for its batch, under a name of its own."""
    recipe = replace(workload.recipe, batch=size)
    return replace(workload, name=f"{workload.name}-batch{size}", recipe=recipe)


@dataclass(frozen=True)
class Point:
    """One race, and where in the sweep it stands."""

    variant: Variant
    comparison: Comparison

    @property
    def batch(self) -> int:
        return self.variant.workload.recipe.batch


def fits(points: Sequence[Point], dialect: str) -> Fit | None:
    """What a step of a dialect costs whatever the batch, and what each sample adds: over races with
    the same number of threads, their rounds taken as they came."""
    rounds: dict[int, dict[int, float]] = {}
    for point in points:
        for round, step_s in point.comparison.steps.get(dialect, {}).items():
            rounds.setdefault(round, {})[point.batch] = step_s
    return fit(list(rounds.values()))
