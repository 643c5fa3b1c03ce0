"""What others on the machine did to a race: the turns they hit, and what they used throughout.
Pure.

A load that comes and goes is seen by turns, which are repeated. One that stays is in every turn,
and no turn looks unusual: so it is looked at while everyone is stopped.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from tensorstone.results.background import BackgroundLoad
from tensorstone.results.trial import Trial


def background_load(trials: Iterable[Trial]) -> BackgroundLoad:
    """Over all groups of a race."""
    turns: dict[tuple[int, int, int], bool] = {}
    looks: dict[tuple[int, int], float] = {}
    for trial in trials:
        if trial.background_load is not None:
            looks[trial.round, trial.group] = trial.background_load
        for turn, block in enumerate(trial.blocks):
            place = trial.round, trial.group, turn
            turns[place] = turns.get(place, False) or block.disturbed
    busy = statistics.median(looks.values()) if looks else None
    return BackgroundLoad(len(turns), sum(turns.values()), busy)
