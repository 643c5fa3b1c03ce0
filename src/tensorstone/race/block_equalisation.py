"""Blocks of one length for everyone who can have them.

Steps are slowed now and then, and never hastened: the longer a block, the more likely it holds such
a moment, so the middle of long blocks is above the middle of short ones. A seat that chose its
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


class Seat(Hashable, Protocol):
    """What is asked of a seat here."""

    @property
    def alive(self) -> bool: ...
    @property
    def chooses(self) -> bool: ...
    @property
    def block_s(self) -> float: ...
    def try_block(self) -> Block | None: ...
    def take_steps(self, steps: int) -> None: ...


def level(seats: Sequence[Seat]) -> None:
    """By a seat whose steps are known from earlier sittings; by the shortest block, if none is."""
    alive = [seat for seat in seats if seat.alive]
    known = [seat for seat in alive if not seat.chooses]
    measure = min(known or alive, key=lambda seat: seat.block_s, default=None)
    if measure is None:
        return
    others = [
        seat for seat in alive if seat.chooses and seat is not measure and _alike(seat, measure)
    ]
    turns = [_tried([measure, *others]) for _ in range(TURNS if others else 0)]
    for seat in others:
        if seat.alive and measure.alive:
            by_turn = (turn[measure].wall_s / turn[seat].step_s for turn in turns)
            seat.take_steps(max(1, round(statistics.median(by_turn))))


def _alike(seat: Seat, other: Seat) -> bool:
    shorter, longer = sorted((seat.block_s, other.block_s))
    return longer < ALIKE * shorter


def _tried(seats: Sequence[Seat]) -> dict[Seat, Block]:
    blocks = {seat: seat.try_block() for seat in seats}
    return {seat: block for seat, block in blocks.items() if block}
