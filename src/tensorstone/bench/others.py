"""What others on the machine did to a race: the turns they hit, and what they used all the while.
Pure.

A load that comes and goes is seen by turns, which are repeated. One that stays is in every turn,
and no turn looks unusual: so it is looked at while everyone is stopped.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from tensorstone.bench.gauges.outside import housekeeping
from tensorstone.bench.results import Trial


@dataclass(frozen=True)
class Others:
    turns: int  # of all sittings
    disturbed: int  # of them: for nobody do these count, unless hardly any others are left
    busy: float | None  # processors they kept busy while contestants were stopped, in the middle

    def stay(self, processors: int) -> bool:
        """Whether they took part in all of it."""
        return self.busy is not None and self.busy > housekeeping(processors)


def others(trials: Iterable[Trial]) -> Others:
    turns: dict[tuple[int, int, int], bool] = {}
    looks: dict[tuple[int, int], float] = {}
    for trial in trials:
        if trial.others_busy is not None:
            looks[trial.round, trial.group] = trial.others_busy
        for turn, block in enumerate(trial.blocks):
            place = trial.round, trial.group, turn
            turns[place] = turns.get(place, False) or block.disturbed
    busy = statistics.median(looks.values()) if looks else None
    return Others(len(turns), sum(turns.values()), busy)
