"""What rounds so far say of those to come."""

from __future__ import annotations

import math
import random

from tensorstone.analysis.scores import Scores
from tensorstone.race.effort import Effort, effort
from tensorstone.race.group_run import FEWEST_TURNS
from tensorstone.results.trial import Block, Racer, Trial

TURNS = 40


A, B, CONTROL = Racer("a"), Racer("b"), Racer("a", "aa-control")


def groups(
    between: float, within: float, racers: tuple[Racer, ...] = (A, B), rounds: int = 6
) -> list[Trial]:
    """Starting takes 10 s, a turn 0.2 s: a block of one step, and the one before it."""
    rng = random.Random(1)
    made = []
    for round in range(rounds):
        for racer in racers:
            process = math.exp(rng.gauss(0, between))
            steps = [0.1 * process * math.exp(rng.gauss(0, within)) for _ in range(TURNS)]
            blocks = tuple(Block(1, step, step, 0, 0, 0, 0) for step in steps)
            wall_s = 10 + 0.2 * process * TURNS
            made.append(
                Trial(racer.dialect, round, 0, role=racer.role, blocks=blocks, wall_s=wall_s)
            )
    return made


def found_in(trials: list[Trial], *others: str) -> Effort | None:
    return effort(Scores(trials), trials, "a", others)


def test_restarts_that_do_not_differ_are_not_worth_repeating() -> None:
    found = found_in(groups(0.0, 0.1), "b")
    assert found is not None and found.best_turns(0.005, 1e5) > 10 * FEWEST_TURNS


def test_turns_that_do_not_differ_are_not_worth_repeating() -> None:
    found = found_in(groups(0.1, 0.001), "b")
    assert found is not None and found.best_turns(0.005, 1e5) == FEWEST_TURNS


def test_costs_are_those_of_everyone() -> None:
    found = found_in(groups(0.0, 0.0), "b")
    assert found is not None
    assert math.isclose(found.prices.restart_s, 20, rel_tol=0.01)
    assert math.isclose(found.prices.turn_s, 0.4, rel_tol=0.01)


def test_half_the_width_takes_four_times_as_long() -> None:
    found = found_in(groups(0.1, 0.1), "b")
    assert found is not None
    once, again = found.seconds_needed(0.01), found.seconds_needed(0.005)
    assert 3.5 < again / once < 4.5


def test_a_lone_contestant_is_judged_by_its_control() -> None:
    assert found_in(groups(0.1, 0.1, (A, CONTROL))) is not None
    assert found_in(groups(0.1, 0.1, (A,))) is None


def test_one_round_says_nothing() -> None:
    assert found_in(groups(0.1, 0.1, rounds=1), "b") is None
