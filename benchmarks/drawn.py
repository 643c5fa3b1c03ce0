"""Races that would take minutes each, drawn from the rounds of one long race.

The long race seats a contestant, its twin and all its slower forms together, in fresh processes
every round, as `stone compare` does. A race of two is then some of its rounds, drawn with
replacement, one after the other until the referee's own rule says stop.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from tensorstone.bench.bootstrap import geometric
from tensorstone.bench.controls import AGAIN
from tensorstone.bench.observer import Silent
from tensorstone.bench.plan import Contestant, Settings
from tensorstone.bench.results import Block, Trial
from tensorstone.bench.scores import Scores
from tensorstone.bench.seat import Slot
from tensorstone.bench.sitting import Sitting, sit
from tensorstone.bench.statistics import ranking, undecided

TURNS = 16  # in a round: about what races of LeNet come to by themselves
PATIENCE_S = 240.0


@dataclass(frozen=True)
class Rounds:
    """What the rounds of a long race say of one pair."""

    ratios: tuple[float, ...]  # slower / plain, one a round
    step_s: float
    round_s: float  # of a race that has only this pair, and the twin

    def race(self, precision: float, budget_s: float, seed: int) -> tuple[bool, float, float]:
        """Whether the slower one is found to be, after how many seconds, and a step's length."""
        rng = random.Random(seed)
        trials: list[Trial] = []
        for number in count(1):
            trials += [
                _trial("plain", number, 1.0),
                _trial("slow", number, rng.choice(self.ratios)),
            ]
            if number >= Settings.min_rounds and self._ends(trials, number, precision, budget_s):
                break
        ranks = {standing.name: standing.rank for standing in ranking(Scores(trials))}
        return ranks["slow"] > ranks["plain"], number * self.round_s, self.step_s

    def _ends(
        self, trials: Sequence[Trial], rounds: int, precision: float, budget_s: float
    ) -> bool:
        open_, _ = undecided(Scores(trials), precision)
        return not open_ or (rounds + 1) * self.round_s > budget_s


def _trial(name: str, round: int, step_s: float) -> Trial:
    return Trial(name, round, 0, blocks=(Block(1, step_s, step_s, 0, 0, 0, 0),))


def long_race(plain: Contestant, slower: Sequence[Contestant], rounds: int) -> list[Trial]:
    settings = Settings(turns=TURNS, memory_kept=True)
    contestants = [plain, replace(plain, dialect=plain.dialect + AGAIN), *slower]
    trials: list[Trial] = []
    for number in range(1, rounds + 1):
        steps = {t.dialect: t.blocks[0].steps for t in reversed(trials)}
        seats = tuple(
            (contestant, Slot(number, place, PATIENCE_S, steps.get(contestant.dialect)))
            for place, contestant in enumerate(contestants)
        )
        made = sit(Sitting(seats, len(seats), TURNS), settings, Silent())
        for trial in made:
            if not trial.outcome.ok:
                raise SystemExit(f"{trial.dialect}: {trial.outcome.reason}")
        trials += made
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
    return trials


def rounds_of(trials: Sequence[Trial], plain: Contestant, slow: Contestant) -> Rounds:
    scores = Scores(trials)
    seats = {plain.dialect, plain.dialect + AGAIN, slow.dialect}
    ratios = tuple(scores.ratios(slow.dialect, plain.dialect).values())
    steps = list(scores.steps(plain.dialect).values())
    spent_s = sum(trial.wall_s for trial in trials if trial.dialect in seats)
    return Rounds(ratios, geometric(steps).value, spent_s / len(ratios))
