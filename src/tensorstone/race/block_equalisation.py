"""Blocks of one length for everyone who can have them.

Steps are slowed now and then, and never hastened: the longer a block, the more likely it holds such
a moment, so the middle of long blocks is above the middle of short ones. A run that chose its
steps while the machine was slow for a second has short blocks ever after, and seems faster (blocks
of 10 steps and of 14 of one program differed by 1 to 2 %). So before the first turn those whose
blocks should last about as long run some side by side, and get as many steps as last equally long.
"""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Sequence
from typing import Protocol

from tensorstone.results.trial import Block

TURNS = 7
# Longer blocks have their reason: a step fills one, or a call costs something besides its steps.
ALIKE = 2.0


class BlockRunner(Hashable, Protocol):
    """What is asked of a run here."""

    @property
    def alive(self) -> bool: ...
    @property
    def chooses(self) -> bool: ...
    @property
    def block_s(self) -> float: ...
    def try_block(self) -> Block | None: ...
    def take_steps(self, steps: int) -> None: ...


def equalise(runs: Sequence[BlockRunner]) -> None:
    """By a run whose steps are known from earlier groups; by the shortest block, if none is."""
    alive = [run for run in runs if run.alive]
    known = [run for run in alive if not run.chooses]
    measure = min(known or alive, key=lambda run: run.block_s, default=None)
    if measure is None:
        return
    others = [run for run in alive if run.chooses and run is not measure and _alike(run, measure)]
    turns = [_tried([measure, *others]) for _ in range(TURNS if others else 0)]
    for run in others:
        if run.alive and measure.alive:
            by_turn = (turn[measure].wall_s / turn[run].step_s for turn in turns)
            run.take_steps(max(1, round(statistics.median(by_turn))))


def _alike(run: BlockRunner, other: BlockRunner) -> bool:
    shorter, longer = sorted((run.block_s, other.block_s))
    return longer < ALIKE * shorter


def _tried(runs: Sequence[BlockRunner]) -> dict[BlockRunner, Block]:
    blocks = {run: run.try_block() for run in runs}
    return {run: block for run, block in blocks.items() if block}
