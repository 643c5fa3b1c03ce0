"""A group run: processes alive side by side, taking turns of one block each in random order.

What slows the machine for a while slows everyone's block of that turn, so it cancels in the ratio.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensorstone.race.block_equalisation import equalise
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment, ProcessRun, StartWorker
from tensorstone.results.events import Observer
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Racer, Trial
from tensorstone.runtime import memory
from tensorstone.runtime.gauges import background
from tensorstone.runtime.process import Worker

FEWEST_TURNS, FIRST_TURNS, MOST_TURNS = 5, 64, 200
# One more is started while this many times what the largest so far holds is free.
ROOM = 1.5
MOST_REPEATED = 0.5  # of the turns there should be
# Everyone is stopped for so long, to see what others do: enough to tell a tenth of a processor.
LOOK_S = 0.2


@dataclass(frozen=True)
class Group:
    """Who is to take turns: first those who must, then those of whom all but one may have to wait
    for memory. They are started in an order of their own."""

    members: tuple[tuple[Contestant, Assignment], ...]
    indispensable: int
    turns: int | None = None  # None: a few, since nothing is known yet
    at_most_s: float = math.inf  # until the last turn begins, if there were the fewest by then

    @property
    def must(self) -> set[Racer]:
        return {contestant.racer for contestant, _ in self.members[: self.indispensable]}


def run_group(
    group: Group, settings: RaceSettings, observer: Observer, start_worker: StartWorker = Worker
) -> list[Trial]:
    """Run it to its end; a trial of everyone for whom there was room, as they were named."""
    runs: list[ProcessRun] = []
    until = time.monotonic() + group.at_most_s
    try:
        for contestant, assignment in _starts(group, settings.seed):
            if contestant.racer not in group.must and not _has_room(runs, group.must):
                continue
            placed = replace(assignment, place=len(runs))
            runs.append(ProcessRun(contestant, placed, settings, observer, start_worker))
            runs[-1].begin()
        equalise(runs)
        background_load = background.meanwhile(LOOK_S)
        for run in runs:
            run.keep(background_load=background_load)
        _take_turns(runs, _turns(group, runs), until, settings.seed)
        for run in runs:
            run.end()
    finally:
        for run in runs:
            run.close()
    made = {run.trial.racer: run.trial for run in runs}
    return [made[contestant.racer] for contestant, _ in group.members if contestant.racer in made]


def _take_turns(runs: Sequence[ProcessRun], wanted: int, until: float, seed: int) -> None:
    """So many turns, fewer if time is up; one that others disturbed is kept, and repeated while
    there are not too many of them."""
    number, most = 0, round(wanted * (1 + MOST_REPEATED))
    while number < wanted and (number < FEWEST_TURNS or time.monotonic() < until):
        for run in _order(runs, seed, number):
            run.turn()
        number += 1
        last = [run.trial.blocks[-1] for run in runs if run.alive and run.trial.blocks]
        if any(block.disturbed for block in last):
            wanted = min(wanted + 1, most)


def _starts(group: Group, seed: int) -> list[tuple[Contestant, Assignment]]:
    """In random order, and in every other round backwards: who is started first was seen to be
    slower, by one to four hundredths, and so everyone is as often before another as behind it."""
    if not group.members:
        return []
    first = group.members[0][1]
    shuffled = sorted(group.members, key=lambda member: member[0].racer)
    random.Random(f"{seed}/{first.round // 2}/{first.group}").shuffle(shuffled)
    return shuffled[::-1] if first.round % 2 else shuffled


def _has_room(runs: Sequence[ProcessRun], must: set[Racer]) -> bool:
    """For one who may wait, and those who must be started after it. The first of them never waits:
    else nobody would ever start."""
    started = {run.trial.racer for run in runs}
    if started <= must:
        return True
    largest = max(run.peak_rss() for run in runs)
    return memory.available() > ROOM * largest * (1 + len(must - started))


def _turns(group: Group, runs: Sequence[ProcessRun]) -> int:
    if group.turns is not None:
        return group.turns
    start_s = sum(run.trial.wall_s for run in runs)
    turn_s = sum(run.turn_s for run in runs if run.alive)
    return first_turns(start_s, turn_s) if turn_s else 0


def first_turns(start_s: float, turn_s: float) -> int:
    """Of slow steps no more turns than take as long as starting did."""
    return round(min(max(start_s / turn_s, FEWEST_TURNS), FIRST_TURNS))


def _order(runs: Sequence[ProcessRun], seed: int, turn: int) -> list[ProcessRun]:
    first = runs[0].trial
    shuffled = list(runs)
    random.Random(f"{seed}/{first.round}/{first.group}/{turn}").shuffle(shuffled)
    return shuffled
