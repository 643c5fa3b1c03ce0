"""A sweep: races of one workload at several batch sizes, or with several thread counts. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from tensorstone.analysis.bootstrap import FEWEST
from tensorstone.analysis.fit import Fit, fit
from tensorstone.results.comparison import Comparison


def sweeps(comparisons: Sequence[Comparison]) -> list[list[Comparison]]:
    """Comparisons of the same base workload together, in the order they come."""
    found: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        workload = comparison.facts.workload
        found.setdefault(workload.base or workload.name, []).append(comparison)
    return list(found.values())


def fits(points: Sequence[Comparison], dialect: str) -> Fit | None:
    """What a step of a dialect costs whatever the batch, and what each sample adds: over races with
    the same number of threads, their rounds taken as they came. None below three rounds, which say
    too little of a line."""
    rounds: dict[int, dict[int, float]] = {}
    for point in points:
        for round, step_s in point.steps.get(dialect, {}).items():
            rounds.setdefault(round, {})[point.facts.workload.batch] = step_s
    line = fit(list(rounds.values()))
    return line if line and line.fixed_s.n >= FEWEST else None
