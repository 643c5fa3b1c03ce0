"""What was measured: blocks of steps, and the trials they belong to."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.bench.outcome import OK, Outcome


@dataclass(frozen=True)
class Block:
    """So many steps and one synchronise, timed together."""

    steps: int
    wall_s: float
    cpu_s: float
    minor_faults: int
    major_faults: int
    voluntary: int  # context switches: the worker waited
    involuntary: int  # somebody else wanted its processor

    @property
    def step_s(self) -> float:
        return self.wall_s / self.steps


@dataclass(frozen=True)
class Trial:
    """One fresh process of one contestant, and all it gave before it ended."""

    dialect: str
    round: int
    order: int  # its place in the round
    outcome: Outcome = OK
    version: str = ""
    cold_import_s: float | None = None
    cold_build_s: float | None = None
    cold_first_step_s: float | None = None
    warmup_steps: int = 0
    blocks: tuple[Block, ...] = ()
    peak_rss_bytes: int | None = None
    cpu_use: float | None = None  # processors kept busy from first block to last, from outside
    wall_s: float = 0.0  # the whole trial, for planning
    notes: tuple[str, ...] = ()
