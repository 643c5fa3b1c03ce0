"""Warming up, and finding out on the way how long a step takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Block

Timed = Callable[[int, float], Block]  # steps, and how long they should take


@dataclass(frozen=True)
class Warm:
    steps: int  # that were run
    wall_s: float
    step_s: float  # in the last block
    cut: bool  # time ran out before the wanted number of steps


def warm_up(timed: Timed, settings: RaceSettings, first_s: float) -> Warm:
    """Run growing blocks until one lasts as long as a measured one should.

    The same procedure in every trial, so that all are equally warm.
    """
    done, spent_s, steps, expected_s = 0, 0.0, 1, first_s
    while True:
        block = timed(steps, expected_s)
        done += block.steps
        spent_s += block.wall_s
        step_s = max(block.step_s, 1e-9)  # a clock that did not move must not divide by zero
        long_enough = block.wall_s >= settings.block_s
        if long_enough and done >= settings.warmup_steps:
            return Warm(done, spent_s, step_s, cut=False)
        if spent_s >= settings.warmup_s:
            return Warm(done, spent_s, step_s, cut=done < settings.warmup_steps)
        wanted = max(1, round(settings.block_s / step_s))
        # At least double, so that it ends; at most tenfold, since the first steps mislead.
        steps = steps if long_enough else min(10 * steps, max(2 * steps, wanted))
        expected_s = steps * step_s
