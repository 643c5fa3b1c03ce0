"""How many steps a block has: as many as fill it, and so many that what a call costs besides its
steps is a hundredth. (Keras's `fit` prepares for some milliseconds; its users call it once an
epoch.)

A call of one step and a call of many, each several times: their fastest differ by steps alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.bench.plan import Settings
from tensorstone.bench.results import Block
from tensorstone.bench.warmup import Timed

FEWEST_MANY = 3
TIMES, TIMES_SLOW = 5, 2
GROWTH = 10  # more steps than so many times what was tried are tried first
CALL_SHARE, LONGEST_BLOCKS = 0.01, 40


@dataclass(frozen=True)
class Length:
    steps: int
    tried_steps: int = 0  # that were run to find out
    tried_s: float = 0.0


def block_length(timed: Timed, settings: Settings, step_s: float) -> Length:
    """Given about what a step takes, calls included. Steps so slow that two of them fill the
    longest block are not tried: it would take long, and a call is next to nothing beside them."""
    if step_s > LONGEST_BLOCKS * settings.block_s / 2:
        return Length(1)
    many = max(FEWEST_MANY, round(settings.block_s / step_s))
    times = TIMES if step_s <= settings.block_s else TIMES_SLOW
    tried: list[Block] = []
    while True:
        tried += [timed(steps, steps * step_s) for steps in (1, many) * times]
        steps = _steps(tried, settings.block_s)
        if steps <= GROWTH * many:
            return Length(
                steps, sum(block.steps for block in tried), sum(block.wall_s for block in tried)
            )
        many *= GROWTH


def _steps(tried: Sequence[Block], block_s: float) -> int:
    """By the fastest of the shortest and of the longest calls."""
    most = max(block.steps for block in tried)
    once, full = (min(b.wall_s for b in tried if b.steps == steps) for steps in (1, most))
    step_s = max((full - once) / (most - 1), 1e-9)
    call_s = max(0.0, once - step_s)
    wanted_s = min(max(block_s, call_s / CALL_SHARE), LONGEST_BLOCKS * block_s)
    return max(1, round(wanted_s / step_s))
