"""From trials to what starting costs, and where contestants overtake each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from tensorstone.analysis.bootstrap import geometric
from tensorstone.analysis.break_even import Costs, break_even, total_s
from tensorstone.analysis.scores import Scores
from tensorstone.results.comparison import Overtaking
from tensorstone.results.estimate import Estimate
from tensorstone.results.trial import Trial

STEPS = (1, 100, 1_000, 10_000, 100_000)


def costs(trials: Sequence[Trial], scores: Scores, name: str) -> Costs:
    """Import, build and first step, and the steps after that, by round."""
    cold = {
        t.round: t.cold_import_s + t.cold_build_s + t.cold_first_step_s
        for t in reversed(trials)  # of several groups in a round, the first
        if t.racer == (name, "contestant") and t.outcome.ok
        if t.cold_import_s and t.cold_build_s and t.cold_first_step_s
    }
    return Costs(cold, scores.steps(name))


def overtakings(spent: Mapping[str, Costs]) -> list[Overtaking]:
    """Between any two of these, the soonest first."""
    found = []
    for one, other in combinations(spent, 2):
        if after := break_even(spent[one], spent[other]):
            early, late = sorted((one, other), key=lambda name: _typical(spent[name].cold_s))
            found.append(Overtaking(early, late, after))
    return sorted(found, key=lambda overtaking: overtaking.after.steps)


def totals(spent: Mapping[str, Costs]) -> dict[str, tuple[Estimate, ...]]:
    """From nothing to the end of each number of `STEPS`."""
    return {name: tuple(total_s(cost, STEPS)) for name, cost in spent.items() if cost.restarts}


def _typical(seconds: Mapping[int, float]) -> float:
    return geometric(list(seconds.values())).value
