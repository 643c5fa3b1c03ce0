"""What is to be trained: the contestants on one workload, how long, and with which seeds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorstone.race.plan import Contestant, measured_by


@dataclass(frozen=True)
class Terms:
    """The same for every dialect."""

    epochs: int
    seeds: int
    threads: int
    timeout_s: float  # of one answer, so of one epoch


@dataclass(frozen=True)
class Syllabus:
    workload: str
    contestants: tuple[Contestant, ...]  # with the first seed's weights
    weights: tuple[Path, ...]  # each seed's
    test: Path
    terms: Terms

    def describe(self) -> dict[str, Any]:
        """By content, not by path. A seed's weights and orders follow from the first's."""
        return {
            "command": "train",
            "workload": self.workload,
            "contestants": [contestant.describe() for contestant in self.contestants],
            "test": hashlib.sha256(self.test.read_bytes()).hexdigest(),
            "epochs": self.terms.epochs,
            "seeds": self.terms.seeds,
            "measured_by": measured_by(),
        }

    def digest(self) -> str:
        """The same for the same trainings: what a killed run is found again by."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()
