"""Races that would take minutes each, drawn from the rounds of one long race of equals.

The long race runs a contestant, its A/A control and an equal together, in fresh processes every
round, as `stone compare` does. A race of two is then some of its rounds, drawn with replacement,
one after the other until the referee's own rule says stop. One arm is made slower by arithmetic,
and the mean of all rounds is taken out, so that the true difference is exactly the one that is
said. (A program
that waits a little after each step is not slower by that: its threads fall asleep meanwhile.)
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from tensorstone.analysis.bootstrap import geometric
from tensorstone.analysis.ranking import ranking, undecided
from tensorstone.analysis.scores import Scores
from tensorstone.race.group_run import Group, run_group
from tensorstone.race.plan import Contestant
from tensorstone.race.process_run import Assignment
from tensorstone.results.events import SilentObserver
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Block, Trial

TURNS = 16  # in a round: about what races of LeNet come to by themselves
PATIENCE_S = 240.0
FEWEST_ROUNDS = RaceSettings().min_rounds


@dataclass(frozen=True)
class Tried:
    """A race of two: whether they were told apart the right way round, and how long it took."""

    found: bool
    seconds: float
    step_s: float


@dataclass(frozen=True)
class Rounds:
    """What the rounds of a long race say of two equals."""

    ratios: tuple[float, ...]  # one a round, around 1
    step_s: float
    round_s: float

    def race(self, share: float, precision: float, budget_s: float, seed: int) -> Tried:
        """One of them is slower by this share; of equals, either may be called so."""
        rng = random.Random(seed)
        trials: list[Trial] = []
        for number in count(1):
            ratio = (1 + share) * rng.choice(self.ratios)
            trials += [_trial("plain", number, 1.0), _trial("slow", number, ratio)]
            if number >= FEWEST_ROUNDS and self._ends(trials, number, precision, budget_s):
                break
        ranks = {standing.name: standing.rank for standing in ranking(Scores(trials))}
        told = ranks["slow"] > ranks["plain"] or (not share and ranks["slow"] != ranks["plain"])
        return Tried(told, number * self.round_s, self.step_s)

    def _ends(
        self, trials: Sequence[Trial], rounds: int, precision: float, budget_s: float
    ) -> bool:
        open_, _ = undecided(Scores(trials), precision)
        return not open_ or (rounds + 1) * self.round_s > budget_s


def _trial(name: str, round: int, step_s: float) -> Trial:
    return Trial(name, round, 0, blocks=(Block(1, step_s, step_s, 0, 0, 0, 0),))


def long_race(plain: Contestant, rounds: int) -> Rounds:
    settings = RaceSettings(turns=TURNS, memory_kept=True)
    equal = replace(plain, dialect="equal")
    contestants = [plain, replace(plain, role="aa-control"), equal]
    trials: list[Trial] = []
    start = time.monotonic()
    for number in range(1, rounds + 1):
        steps = {t.racer: t.blocks[0].steps for t in reversed(trials)}
        members = tuple(
            (contestant, Assignment(number, place, PATIENCE_S, steps.get(contestant.racer)))
            for place, contestant in enumerate(contestants)
        )
        made = run_group(Group(members, len(members), TURNS), settings, SilentObserver())
        for trial in made:
            if not trial.outcome.ok:
                raise SystemExit(f"{trial.dialect}: {trial.outcome.reason}")
        trials += made
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
    scores = Scores(trials)
    ratios = list(scores.ratios(equal.dialect, plain.dialect).values())
    centre = geometric(ratios)
    print(f"equals in {rounds} rounds: {centre}; by round {ratios}", file=sys.stderr, flush=True)
    return Rounds(
        tuple(ratio / centre.value for ratio in ratios),
        geometric(list(scores.steps(plain.dialect).values())).value,
        (time.monotonic() - start) / rounds,
    )
