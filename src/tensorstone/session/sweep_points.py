"""The races of a sweep: the same workload at several batch sizes, or with several numbers of
threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensorstone.models.workload import Workload
from tensorstone.session.entries import thread_count


@dataclass(frozen=True)
class SweepPoint:
    """One race of a sweep; without one, a workload as it is."""

    base: Workload
    workload: Workload
    threads: int


def variants(
    workloads: Sequence[Workload], batches: Sequence[int], threads: Sequence[int]
) -> list[SweepPoint]:
    """Every workload at every batch size with every number of threads."""
    counts = [thread_count(count) for count in threads or [0]]
    return [
        SweepPoint(base, workload, count)
        for base in workloads
        for workload in ([at_batch(base, size) for size in batches] or [base])
        for count in counts
    ]


def at_batch(workload: Workload, size: int) -> Workload:
    """The same but for its batch, under a name of its own."""
    recipe = replace(workload.recipe, batch=size)
    return replace(workload, name=f"{workload.name}-batch{size}", recipe=recipe)
