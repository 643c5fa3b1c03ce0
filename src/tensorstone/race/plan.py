"""What is to be measured: the contestants on one workload, and how carefully."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tensorstone.race import messages
from tensorstone.results.codec import plain
from tensorstone.results.outcome import Outcome
from tensorstone.results.settings import RaceSettings
from tensorstone.results.subject import Subject, Unproven
from tensorstone.results.trial import Racer, Role
from tensorstone.runtime.failure import Failure
from tensorstone.runtime.invocation import Invocation
from tensorstone.support.source_digest import source_digest


@dataclass(frozen=True)
class Contestant:
    """Everything needed to run one dialect on one workload."""

    dialect: str  # as it is shown
    subject: Subject  # proven: nothing else can be raced
    program: Path
    bridge: Path
    layers: list[dict[str, Any]]
    invocation: Invocation
    weights: Path
    data: Path
    role: Role = "contestant"
    # The same where freed memory is not kept, proven so too: what keeping it did is seen beside it.
    system_allocator: Contestant | None = None

    def __post_init__(self) -> None:
        """It runs as it was proven, or not at all."""
        if not isinstance(self.subject, Subject):
            raise Unproven(f"{self.dialect}: there is no proof of it")
        proven, run = self.subject.conditions, self.invocation
        if proven.threads != run.threads:
            raise Unproven(f"{self.dialect}: proven with {proven.said()}, run with {run.threads}")
        if not dict(proven.variables).items() <= run.env.items():
            raise Unproven(f"{self.dialect}: run without the variables it was proven with")

    @property
    def batch(self) -> int:
        return self.subject.batch

    @property
    def racer(self) -> Racer:
        return Racer(self.dialect, self.role)

    @property
    def loading(self) -> dict[str, Any]:
        """What a worker's `load` is asked with. Raises `Failure` where the file is no longer the
        text that was proven."""
        if not self.program.is_file() or _digest(self.program) != self.subject.program.sha:
            raise Failure(Outcome("failed", messages.another_program(self.program.name)))
        return {
            "program": str(self.program),
            "bridge": str(self.bridge),
            "layers": self.layers,
            "threads": self.invocation.threads,
        }

    def describe(self) -> dict[str, Any]:
        """By content, not by path: the same race in another folder is the same race."""
        return {
            "dialect": self.dialect,
            "program": self.subject.program.sha,
            "bridge": _digest(self.bridge),
            "layers": self.layers,
            "python": str(self.invocation.python),
            "env": self.invocation.env,
            "cpus": list(self.invocation.cpus),
            "threads": self.invocation.threads,
            "weights": _digest(self.weights),
            "data": _digest(self.data),
            "batch": self.batch,
        }


@dataclass(frozen=True)
class Plan:
    workload: str
    contestants: tuple[Contestant, ...]
    settings: RaceSettings = field(default_factory=RaceSettings)

    def describe(self) -> dict[str, Any]:
        return {
            "workload": self.workload,
            "contestants": [contestant.describe() for contestant in self.contestants],
            "settings": plain(self.settings),
            "measured_by": measured_by(),
        }

    def digest(self) -> str:
        """The same for the same race: what a killed run is found again by."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()


def measured_by() -> str:
    """The source that decides how anything is measured: another's numbers are not mixed in."""
    return source_digest("timing")


def order(dialects: list[str], round: int, seed: int) -> list[str]:
    """Who runs when in this round: random, and the same again when the run is resumed."""
    shuffled = sorted(dialects)
    random.Random(f"{seed}/{round}").shuffle(shuffled)
    return shuffled


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
