"""What was measured: blocks of steps, feeding, what came after; and the trials they belong to."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from tensorstone.bench.outcome import OK, Outcome

# A turn begins with a step that does not count, which wakes the contestant's threads and brings its
# data back into the caches. However slow its steps: equals of which some settled and some did not
# differed by 2 to 8 % at 22 ms a step.
SETTLING_STEPS = 1


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
    system_s: float | None = None  # the kernel's part of cpu_s
    instructions: int | None = None  # retired, where the machine counts them
    energy_j: float | None = None  # of the whole machine
    outside: float | None = None  # processors that others kept busy meanwhile, stolen time included
    disturbed: bool = False  # by them, so much that it should not be trusted

    @property
    def step_s(self) -> float:
        return self.wall_s / self.steps


@dataclass(frozen=True)
class Feeding:
    """A loader's batches taken and dropped, several times over, beside plain slices of the same."""

    absent: str = ""  # why there is nothing
    batches: int = 0  # each time
    walls_s: tuple[float, ...] = ()
    slices: int = 0
    slice_walls_s: tuple[float, ...] = ()


@dataclass(frozen=True)
class Life:
    """A net after its training: saved, loaded by a fresh process, asked for predictions.

    What was not reached before the outcome is not there.
    """

    outcome: Outcome = OK
    predict_s: tuple[float, ...] = ()  # each call on a whole batch, before saving
    save_s: float | None = None
    saved_bytes: int | None = None
    load_s: float | None = None
    first_predict_s: float | None = None  # one sample, right after the load
    latency_s: tuple[float, ...] = ()  # each later call on one sample
    reload_error: float | None = None  # of predictions after the load, against those before
    wall_s: float = 0.0  # all of it, for planning


@dataclass(frozen=True)
class Trial:
    """One fresh process of one contestant, and all it gave before it ended."""

    dialect: str
    round: int
    order: int  # its place in the round
    group: int = 0  # those of one group are alive together and take turns, a block each
    outcome: Outcome = OK
    version: str = ""
    cold_import_s: float | None = None
    cold_build_s: float | None = None
    cold_first_step_s: float | None = None
    warmup_steps: int = 0
    warmup_s: float = 0.0
    blocks: tuple[Block, ...] = ()
    peak_rss_bytes: int | None = None
    private_bytes: int | None = None  # its own alone, after the last block
    running_threads: float | None = None  # at a time, in a block that was only watched
    gpu_bytes: int | None = None  # that it holds on GPUs, after the last block
    cpu_use: float | None = None  # processors kept busy from first block to last, from outside
    others_busy: float | None = None  # processors, while everyone of its sitting was stopped
    wall_s: float = 0.0  # the whole trial, for planning
    notes: tuple[str, ...] = ()
    feeding: Feeding | None = None
    worked_feeding: Feeding | None = None  # by worker processes, where they were asked for
    life: Life | None = None

    @property
    def step_s(self) -> float:
        """Seconds a step: the median block, so that one disturbed block does not count."""
        return statistics.median(block.step_s for block in self.blocks)

    @property
    def turn_s(self) -> float:
        """Seconds a turn, by the same median: a block, and what it settled for."""
        return self.step_s * (self.blocks[0].steps + SETTLING_STEPS)

    @property
    def training_s(self) -> float:
        """What all of it took but for life after training."""
        return self.wall_s - (self.life.wall_s if self.life else 0.0)
