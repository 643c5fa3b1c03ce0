"""A sitting: contestants alive side by side, taking turns of one block each in random order.

What slows the machine for a while slows everyone's block of that turn, so it cancels in the ratio.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensorstone.race.block_equalisation import level
from tensorstone.race.plan import Contestant, Settings
from tensorstone.race.process_run import Seat, Slot, StartWorker
from tensorstone.results.events import Observer
from tensorstone.results.trial import Trial
from tensorstone.runtime import memory
from tensorstone.runtime.gauges import background as outside
from tensorstone.runtime.process import Worker

FEWEST_TURNS, FIRST_TURNS, MOST_TURNS = 5, 64, 200
# One more sits down while this many times what the largest so far holds is free.
ROOM = 1.5
MOST_REPEATED = 0.5  # of the turns there should be
# Everyone is stopped for so long, to see what others do: enough to tell a tenth of a processor.
LOOK_S = 0.2


@dataclass(frozen=True)
class Sitting:
    """Who is to sit down: first those who must, then those of whom all but one may have to wait for
    memory. They are started in an order of their own."""

    seats: tuple[tuple[Contestant, Slot], ...]
    indispensable: int
    turns: int | None = None  # None: a few, since nothing is known yet
    at_most_s: float = math.inf  # until the last turn begins, if there were the fewest by then

    @property
    def must(self) -> set[str]:
        return {contestant.dialect for contestant, _ in self.seats[: self.indispensable]}


def sit(
    sitting: Sitting, settings: Settings, observer: Observer, start_worker: StartWorker = Worker
) -> list[Trial]:
    """Run it to its end; a trial of everyone for whom there was room, as they were named."""
    seats: list[Seat] = []
    until = time.monotonic() + sitting.at_most_s
    try:
        for contestant, slot in _starts(sitting, settings.seed):
            if contestant.dialect not in sitting.must and not _has_room(seats, sitting.must):
                continue
            numbered = replace(slot, order=len(seats))
            seats.append(Seat(contestant, numbered, settings, observer, start_worker))
            seats[-1].begin()
        level(seats)
        others_busy = outside.meanwhile(LOOK_S)
        for seat in seats:
            seat.keep(others_busy=others_busy)
        _take_turns(seats, _turns(sitting, seats), until, settings.seed)
        for seat in seats:
            seat.end()
    finally:
        for seat in seats:
            seat.close()
    made = {seat.trial.dialect: seat.trial for seat in seats}
    return [
        made[contestant.dialect] for contestant, _ in sitting.seats if contestant.dialect in made
    ]


def _take_turns(seats: Sequence[Seat], wanted: int, until: float, seed: int) -> None:
    """So many turns, fewer if time is up; one that others disturbed is kept, and repeated while
    there are not too many of them."""
    number, most = 0, round(wanted * (1 + MOST_REPEATED))
    while number < wanted and (number < FEWEST_TURNS or time.monotonic() < until):
        for seat in _order(seats, seed, number):
            seat.turn()
        number += 1
        last = [seat.trial.blocks[-1] for seat in seats if seat.alive and seat.trial.blocks]
        if any(block.disturbed for block in last):
            wanted = min(wanted + 1, most)


def _starts(sitting: Sitting, seed: int) -> list[tuple[Contestant, Slot]]:
    """In random order, and in every other round backwards: who is started first was seen to be
    slower, by one to four hundredths, and so everyone is as often before another as behind it."""
    if not sitting.seats:
        return []
    first = sitting.seats[0][1]
    shuffled = sorted(sitting.seats, key=lambda seat: seat[0].dialect)
    random.Random(f"{seed}/{first.round // 2}/{first.group}").shuffle(shuffled)
    return shuffled[::-1] if first.round % 2 else shuffled


def _has_room(seats: Sequence[Seat], must: set[str]) -> bool:
    """For one who may wait, and those who must sit down after it. The first of them never waits:
    else nobody would ever sit."""
    seated = {seat.trial.dialect for seat in seats}
    if seated <= must:
        return True
    largest = max(seat.peak_rss() for seat in seats)
    return memory.available() > ROOM * largest * (1 + len(must - seated))


def _turns(sitting: Sitting, seats: Sequence[Seat]) -> int:
    if sitting.turns is not None:
        return sitting.turns
    start_s = sum(seat.trial.wall_s for seat in seats)
    turn_s = sum(seat.turn_s for seat in seats if seat.alive)
    return first_turns(start_s, turn_s) if turn_s else 0


def first_turns(start_s: float, turn_s: float) -> int:
    """Of slow steps no more turns than take as long as starting did."""
    return round(min(max(start_s / turn_s, FEWEST_TURNS), FIRST_TURNS))


def _order(seats: Sequence[Seat], seed: int, turn: int) -> list[Seat]:
    first = seats[0].trial
    shuffled = list(seats)
    random.Random(f"{seed}/{first.round}/{first.group}/{turn}").shuffle(shuffled)
    return shuffled
