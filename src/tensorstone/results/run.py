"""A run: one command's work on one workload, with all that is needed to show it again."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from tensorstone.results.conditions import Conditions
from tensorstone.results.machine import Machine
from tensorstone.results.outcome import Outcome
from tensorstone.results.program import Program
from tensorstone.results.proof import Proof
from tensorstone.results.settings import Settings
from tensorstone.results.trial import Trial

Command = Literal["compare", "train", "prove", "doctor"]
RunStatus = Literal["running", "finished", "interrupted"]


class WorkloadFacts(Struct, frozen=True):
    """What a result is of. `data` is the whole workload as plain data: it can be read again."""

    name: str
    title: str
    batch: int = 0
    metric: str = ""
    parameters: int = 0
    dataset: str = ""
    base: str = ""  # the workload it is a variant of: lenet, of lenet-batch8
    sha: str = ""
    data: dict[str, Any] = {}


class RunFacts(Struct, frozen=True):
    """A run without what it measured. Times are Unix seconds."""

    number: int  # in this ledger
    uuid: str  # in any
    series: str  # the same for all runs of one command
    command: Command
    workload: WorkloadFacts
    settings: Settings
    machine: Machine
    started: float
    status: RunStatus = "finished"
    words: tuple[str, ...] = ()  # the command line, or the call that stands for it
    version: str = ""  # of tensorstone
    threads: int = 0
    noise_floor: float | None = None  # of this machine with so many threads, at that time
    finished: float | None = None
    why: str = ""  # it ended
    resumed: int = 0  # trials that an earlier, unfinished attempt had left


class CellRecord(Struct, frozen=True):
    """One dialect on the run's workload, before anything is made of what it measured."""

    dialect: str
    framework: str
    version: str
    lane: str
    outcome: Outcome | None = None  # where it ended before any trial: unsupported, unequal …
    program_sha: str = ""
    conditions: Conditions | None = None
    packages: dict[str, str] = {}  # what is installed beside it, by name
    proof: Proof | None = None
    alias_of: str = ""  # the dialect that says the workload in the very same program
    known_defect: bool = False  # unequal by exactly what its framework is known for
    note: str = ""  # of the dialect: a handicap or a peculiarity


class Finding(Struct, frozen=True):
    """One thing the doctor looked at: how it stands, and what would make it better."""

    what: str
    state: Literal["good", "note", "warning", "bad"]
    found: str
    advice: str = ""


class Noise(Struct, frozen=True):
    """What a race between equals showed on a machine."""

    floor: float  # a ratio closer to 1 than this is noise
    ratio: float
    low: float | None
    high: float | None
    rounds: int
    measured: float  # Unix seconds
    threads: int


class RunRecord(Struct, frozen=True):
    """Everything the ledger knows of a run."""

    facts: RunFacts
    cells: tuple[CellRecord, ...] = ()
    trials: tuple[Trial, ...] = ()  # in the order they were made
    programs: dict[str, Program] = {}  # by sha
    findings: tuple[Finding, ...] = ()
    noise: Noise | None = None
    damaged: tuple[str, ...] = ()  # what could not be read, in plain words


class Summary(Struct, frozen=True):
    """A run in one line of a list."""

    facts: RunFacts
    dialects: tuple[str, ...]
    ok: int  # of its cells
    trials: int
