"""Blocks that can last equally long do, whatever the machine did while their steps were chosen."""

from __future__ import annotations

import random

import pytest
from racing import QUICK, Make

from tensorstone.race import group_run
from tensorstone.race.block_equalisation import TURNS, equalise
from tensorstone.race.group_run import Group
from tensorstone.race.process_run import Assignment, ProcessRun
from tensorstone.results.events import SilentObserver
from tensorstone.results.trial import SETTLING_STEPS, Block

RNG = random.Random(1)


class SimulatedRun:
    """A run without a process: steps take what they are said to, disturbed now and then."""

    def __init__(self, step_s: float, steps: int, chooses: bool = True, dies_at: int = 0) -> None:
        self.step_s, self.steps, self.chooses = step_s, steps, chooses
        self.alive, self.tried, self._dies_at = True, 0, dies_at

    @property
    def block_s(self) -> float:
        return self.steps * self.step_s

    def try_block(self) -> Block | None:
        self.tried += 1
        self.alive = self.alive and self.tried != self._dies_at
        wall_s = self.block_s * (1 + 2 * (RNG.random() < 0.1))
        return Block(self.steps, wall_s, wall_s, 0, 0, 0, 0) if self.alive else None

    def take_steps(self, steps: int) -> None:
        self.steps = steps


def test_equals_have_equal_blocks() -> None:
    first, second, slower = SimulatedRun(0.01, 10), SimulatedRun(0.01, 14), SimulatedRun(0.02, 7)
    equalise([second, slower, first])
    assert (first.steps, second.steps, slower.steps) == (10, 10, 5)


def test_who_was_there_before_is_the_measure() -> None:
    new, old = SimulatedRun(0.01, 10), SimulatedRun(0.01, 14, chooses=False)
    equalise([new, old])
    assert (new.steps, old.steps) == (14, 14)


def test_longer_blocks_have_their_reason() -> None:
    short, fit, slow = SimulatedRun(0.01, 10), SimulatedRun(0.01, 200), SimulatedRun(0.9, 1)
    equalise([short, fit, slow])
    assert (short.steps, fit.steps, slow.steps) == (10, 200, 1)
    assert short.tried == fit.tried == slow.tried == 0


def test_a_step_is_the_least() -> None:
    short, long = SimulatedRun(0.06, 1), SimulatedRun(0.1, 1)
    equalise([short, long])
    assert long.steps == 1 and long.tried == TURNS


@pytest.mark.parametrize("who", [0, 1])
def test_who_dies_meanwhile_changes_nobody(who: int) -> None:
    runs = [SimulatedRun(0.01, 10, dies_at=3 * (who == n)) for n in range(2)]
    runs[1].steps = 14
    equalise([*runs, SimulatedRun(0.01, 11)])
    assert [run.steps for run in runs] == [10, 14]


def test_nobody_is_there() -> None:
    equalise([])
    equalise([SimulatedRun(0.01, 10)])


def test_what_is_tried_is_warm_up(make: Make, mark: str) -> None:
    run = ProcessRun(make("steady"), Assignment(1, 0, 60.0), QUICK, SilentObserver())
    try:
        run.begin()
        run.take_steps(7)
        before = run.trial
        block = run.try_block()
    finally:
        run.close()
    assert block is not None and block.steps == 7 and run.trial.blocks == ()
    assert run.trial.warmup_steps == before.warmup_steps + 7 + SETTLING_STEPS
    assert run.trial.warmup_s == pytest.approx(before.warmup_s + block.wall_s)
    assert run.try_block() is None


def test_a_group_run_equalises_who_chooses(
    make: Make, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    equalised: list[int] = []
    monkeypatch.setattr(group_run, "equalise", lambda runs: equalised.append(len(runs)))
    members = tuple((make("steady"), Assignment(1, place, 60.0)) for place in range(2))
    group_run.run_group(Group(members, 1, turns=1), QUICK, SilentObserver())
    assert equalised == [2]
