"""From trials to what starting costs, and where contestants overtake each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import isfinite
from typing import Any

from tensorstone.bench.bootstrap import Estimate, geometric
from tensorstone.bench.break_even import BreakEven, Costs, break_even, total_s
from tensorstone.bench.results import Trial
from tensorstone.bench.scores import Scores

STEPS = (1, 100, 1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Overtaking:
    """Who starts faster, who has caught up after so many steps."""

    ahead: str
    then: str
    after: BreakEven

    def to_json(self) -> dict[str, Any]:
        after = asdict(self.after)
        if after["high"] is not None and not isfinite(after["high"]):
            after["high"] = None  # JSON has no infinity
        return {"ahead": self.ahead, "then": self.then, **after, "never": self.never}

    @property
    def never(self) -> bool:
        """Whether it may be never."""
        return self.after.high is not None and not isfinite(self.after.high)


def costs(trials: Sequence[Trial], name: str) -> Costs:
    """Import, build and first step, and the steps after that, by round."""
    cold = {
        t.round: t.cold_import_s + t.cold_build_s + t.cold_first_step_s
        for t in reversed(trials)  # of several groups in a round, the first
        if t.dialect == name and t.outcome.ok
        if t.cold_import_s and t.cold_build_s and t.cold_first_step_s
    }
    return Costs(cold, Scores(trials).steps(name))


def overtakings(trials: Sequence[Trial], names: Sequence[str]) -> list[Overtaking]:
    """Between any two of these, the soonest first."""
    spent = {name: costs(trials, name) for name in names}
    found = []
    for one, other in combinations(names, 2):
        if after := break_even(spent[one], spent[other]):
            early, late = sorted((one, other), key=lambda name: _typical(spent[name].cold_s))
            found.append(Overtaking(early, late, after))
    return sorted(found, key=lambda overtaking: overtaking.after.steps)


def totals(trials: Sequence[Trial], names: Sequence[str]) -> dict[str, list[Estimate]]:
    """From nothing to the end of each number of `STEPS`."""
    found = {name: costs(trials, name) for name in names}
    return {name: total_s(spent, STEPS) for name, spent in found.items() if spent.restarts}


def _typical(seconds: Mapping[int, float]) -> float:
    return geometric(list(seconds.values())).value
