"""How many steps a block has: as many as fill it, five at least unless they are slow. Where a call
costs much besides its steps, so many that this is a hundredth of them: Keras's `fit` prepares for
some milliseconds, and its users call it once an epoch.

A call of one step and a call of many, in pairs: their fastest differ by steps alone, and each pair
says what a call costs; the middle of these is believed if it is more than three hundredths of a
block. Less cannot be told from noise (a queue to fill and empty costs MXNet a millisecond a block
where a step takes 20): equals would have blocks of 2 steps and of 14, and differ by that.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.race.warmup import Timed
from tensorstone.results.settings import RaceSettings
from tensorstone.results.trial import Block

FEWEST_MANY = 3
TIMES, TIMES_SLOW = 15, 2
GROWTH = 10  # more steps than so many times what was tried are tried first
MUCH, CALL_SHARE, LONGEST_BLOCKS = 0.03, 0.01, 40
FEWEST_STEPS, FEW_BLOCKS = 5, 5  # so many steps, if they last no longer than so many blocks


@dataclass(frozen=True)
class Length:
    steps: int
    tried_steps: int = 0  # that were run to find out
    tried_s: float = 0.0


def block_length(timed: Timed, settings: RaceSettings, step_s: float) -> Length:
    """Given about what a step takes, calls included. Steps so slow that two of them fill the
    longest block are not tried: it would take long, and a call is next to nothing beside them."""
    if step_s > LONGEST_BLOCKS * settings.block_s / 2:
        return Length(1)
    many = max(FEWEST_MANY, round(settings.block_s / step_s))
    times = TIMES if step_s <= settings.block_s else TIMES_SLOW
    tried: list[Block] = []
    while True:
        short, long = [], []
        for _ in range(times):
            short.append(timed(1, step_s))
            long.append(timed(many, many * step_s))
        tried += short + long
        steps = _steps(short, long, settings.block_s)
        if steps <= GROWTH * many:
            return Length(
                steps, sum(block.steps for block in tried), sum(block.wall_s for block in tried)
            )
        many *= GROWTH


def _steps(short: Sequence[Block], long: Sequence[Block], block_s: float) -> int:
    once, full = (min(block.wall_s for block in blocks) for blocks in (short, long))
    more = long[0].steps - 1
    step_s = max((full - once) / more, 1e-9)
    calls = (
        one.wall_s - (many.wall_s - one.wall_s) / more
        for one, many in zip(short, long, strict=True)
    )
    call_s = statistics.median(calls)
    wanted_s = max(block_s, min(FEWEST_STEPS * step_s, FEW_BLOCKS * block_s))
    if call_s > MUCH * wanted_s:
        wanted_s = min(call_s / CALL_SHARE, LONGEST_BLOCKS * block_s)
    return max(1, round(wanted_s / step_s))
