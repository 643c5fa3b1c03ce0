"""What is to be measured: the contestants on one workload, and how carefully."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tensorstone.runtime.invocation import Invocation
from tensorstone.support.own_source import own_source


@dataclass(frozen=True)
class Contestant:
    """Everything needed to run one dialect on one workload."""

    dialect: str
    program: Path
    bridge: Path
    layers: list[dict[str, Any]]
    invocation: Invocation
    weights: Path
    data: Path
    batch: int

    @property
    def loading(self) -> dict[str, Any]:
        """What a worker's `load` is asked with."""
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
            "program": _digest(self.program),
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
class Settings:
    """How a race is run. Times in seconds."""

    budget_s: float = 300.0
    precision: float = 0.02  # wanted half-width of every ratio's interval
    block_s: float = 0.05  # short: the nearer two blocks are, the more alike is what disturbs them
    turns: int | None = None  # a sitting; None: by what starting costs
    min_rounds: int = 4  # fewer do not tell contestants apart
    warmup_steps: int = 5  # at least, unless they take longer than warmup_s
    warmup_s: float = 10.0
    trial_timeout_s: float | None = None  # None: from the budget and what was seen
    memory_limit: int | None = None  # bytes; None: most of what is free when a worker starts
    life_rounds: int = 0  # of how many trials each net's life after training is measured too
    feed_workers: int = 0  # processes that a loader is measured with as well, where it can have any
    memory_kept: bool = False  # whether the C library is told to keep what is freed
    seed: int = 0


@dataclass(frozen=True)
class Plan:
    workload: str
    contestants: tuple[Contestant, ...]
    settings: Settings = field(default_factory=Settings)

    def describe(self) -> dict[str, Any]:
        return {
            "workload": self.workload,
            "contestants": [contestant.describe() for contestant in self.contestants],
            "settings": asdict(self.settings),
            "measured_by": measured_by(),
        }

    def digest(self) -> str:
        """The same for the same race: what a killed run is found again by."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()


def measured_by() -> str:
    """The source that decides how anything is measured: another's numbers are not mixed in."""
    return own_source("tensorstone/bench", "stone_worker")


def order(dialects: list[str], round: int, seed: int) -> list[str]:
    """Who runs when in this round: random, and the same again when the run is resumed."""
    shuffled = sorted(dialects)
    random.Random(f"{seed}/{round}").shuffle(shuffled)
    return shuffled


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
