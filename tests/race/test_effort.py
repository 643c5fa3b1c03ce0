"""What rounds so far say of those to come."""

from __future__ import annotations

import math
import random

from tensorstone.race.controls import AGAIN
from tensorstone.race.effort import outlook
from tensorstone.race.group_run import FEWEST_TURNS
from tensorstone.results.trial import Block, Trial

TURNS = 40


def sittings(between: float, within: float, names: str = "a,b", rounds: int = 6) -> list[Trial]:
    """Starting takes 10 s, a turn 0.2 s: a block of one step, and the one before it."""
    rng = random.Random(1)
    made = []
    for round in range(rounds):
        for name in names.split(","):
            process = math.exp(rng.gauss(0, between))
            steps = [0.1 * process * math.exp(rng.gauss(0, within)) for _ in range(TURNS)]
            blocks = tuple(Block(1, step, step, 0, 0, 0, 0) for step in steps)
            wall_s = 10 + 0.2 * process * TURNS
            made.append(Trial(name, round, 0, blocks=blocks, wall_s=wall_s))
    return made


def test_restarts_that_do_not_differ_are_not_worth_repeating() -> None:
    found = outlook(sittings(0.0, 0.1, "a,b"), "a", ["b"])
    assert found is not None and found.best_turns(0.005, 1e5) > 10 * FEWEST_TURNS


def test_turns_that_do_not_differ_are_not_worth_repeating() -> None:
    found = outlook(sittings(0.1, 0.001, "a,b"), "a", ["b"])
    assert found is not None and found.best_turns(0.005, 1e5) == FEWEST_TURNS


def test_costs_are_those_of_everyone() -> None:
    found = outlook(sittings(0.0, 0.0, "a,b"), "a", ["b"])
    assert found is not None
    assert math.isclose(found.prices.restart_s, 20, rel_tol=0.01)
    assert math.isclose(found.prices.turn_s, 0.4, rel_tol=0.01)


def test_half_the_width_takes_four_times_as_long() -> None:
    found = outlook(sittings(0.1, 0.1, "a,b"), "a", ["b"])
    assert found is not None
    once, again = found.seconds_needed(0.01), found.seconds_needed(0.005)
    assert 3.5 < again / once < 4.5


def test_a_lone_contestant_is_judged_by_its_twin() -> None:
    assert outlook(sittings(0.1, 0.1, f"a,a{AGAIN}"), "a", []) is not None
    assert outlook(sittings(0.1, 0.1, "a"), "a", []) is None


def test_one_round_says_nothing() -> None:
    assert outlook(sittings(0.1, 0.1, "a,b", rounds=1), "a", ["b"]) is None
