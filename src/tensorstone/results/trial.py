"""What one process gave: blocks of steps, epochs, feeding, and what came after training."""

from __future__ import annotations

import statistics
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from tensorstone.results.outcome import OK, Outcome

# A turn begins with a step that does not count, which wakes the contestant's threads and brings its
# data back into the caches. However slow its steps: equals of which some settled and some did not
# differed by 2 to 8 % at 22 ms a step.
SETTLING_STEPS = 1

# What a process is for: to be ranked; the same program once more, to see how much equals differ
# (A/A control); or once more with the C library's own allocator, to see what keeping memory did.
Role = Literal["contestant", "aa-control", "allocator-control"]


class Racer(NamedTuple):
    """Who takes turns: a dialect, and what for."""

    dialect: str
    role: Role = "contestant"


class TrialSpec(Struct, frozen=True):
    """Which trial it is: who, in which round, in which group, started in which place."""

    dialect: str
    role: Role
    round: int
    group: int = 0
    place: int = 0

    @property
    def racer(self) -> Racer:
        return Racer(self.dialect, self.role)


class Block(Struct, frozen=True):
    """So many steps and one synchronise, timed together."""

    steps: Annotated[int, Meta(ge=1)]
    wall_s: Annotated[float, Meta(gt=0, le=1e9)]
    cpu_s: float
    minor_faults: int
    major_faults: int
    voluntary: int  # context switches: the worker waited
    involuntary: int  # somebody else wanted its processor
    system_s: float | None = None  # the kernel's part of cpu_s
    instructions: int | None = None  # retired, where the machine counts them
    energy_j: float | None = None  # of the whole machine
    background_load: float | None = None  # processors busy with other processes, stolen time too
    disturbed: bool = False  # by them, so much that it should not be trusted

    @property
    def step_s(self) -> float:
        return self.wall_s / self.steps


class Epoch(Struct, frozen=True):
    """Once over the training samples, and the judgement after it."""

    number: int  # from 1
    steps: int
    loss: float  # the mean over its batches, as they were trained
    metric: float  # on the test samples
    train_s: float  # the steps and nothing else
    feed_s: float  # handing the framework its samples
    evaluate_s: float

    @property
    def wall_s(self) -> float:
        """All of it, for planning."""
        return self.feed_s + self.train_s + self.evaluate_s


class Feeding(Struct, frozen=True):
    """A loader's batches taken and dropped, several times over, beside plain slices of the same."""

    absent: str = ""  # why there is nothing
    batches: int = 0  # each time
    walls_s: tuple[float, ...] = ()
    slices: int = 0
    slice_walls_s: tuple[float, ...] = ()


class Deployment(Struct, frozen=True):
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


class Trial(Struct, frozen=True):
    """One fresh process of one racer, and all it gave before it ended."""

    dialect: str
    round: int
    place: int  # in the order of the round's starts
    group: int = 0  # those of one group are alive together and take turns, a block each
    role: Role = "contestant"
    outcome: Outcome = OK
    version: str = ""
    cold_import_s: float | None = None
    cold_build_s: float | None = None
    cold_first_step_s: float | None = None
    warmup_steps: int = 0
    warmup_s: float = 0.0
    blocks: tuple[Block, ...] = ()
    epochs: tuple[Epoch, ...] = ()
    peak_rss_bytes: int | None = None
    unique_bytes: int | None = None  # its own alone, after the last block
    running_threads: float | None = None  # at a time, in a block that was only watched
    gpu_bytes: int | None = None  # that it holds on GPUs, after the last block
    cpu_use: float | None = None  # processors kept busy from first block to last, from outside
    background_load: float | None = None  # processors, while everyone of its group was stopped
    wall_s: float = 0.0  # the whole trial, for planning
    notes: tuple[str, ...] = ()
    feeding: Feeding | None = None
    worked_feeding: Feeding | None = None  # by worker processes, where they were asked for
    deployment: Deployment | None = None

    @classmethod
    def begun(cls, spec: TrialSpec) -> Trial:
        """Nothing is measured yet."""
        return cls(spec.dialect, spec.round, spec.place, spec.group, spec.role)

    @property
    def spec(self) -> TrialSpec:
        return TrialSpec(self.dialect, self.role, self.round, self.group, self.place)

    @property
    def racer(self) -> Racer:
        return Racer(self.dialect, self.role)

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
        """What all of it took but for saving, loading and predicting."""
        return self.wall_s - (self.deployment.wall_s if self.deployment else 0.0)
