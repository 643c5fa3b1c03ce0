"""What is to be trained: the contestants on one workload, how long, and with which seeds."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorstone.race.plan import Contestant, measured_by
from tensorstone.results.settings import TrainingSettings
from tensorstone.session.input_files import file_sha


@dataclass(frozen=True)
class TrainingPlan:
    workload: str
    contestants: tuple[Contestant, ...]  # with the first seed's weights
    folder: Path  # each seed's weights, written when its turn comes
    test: Path
    settings: TrainingSettings

    def describe(self) -> dict[str, Any]:
        """By content, not by path. A seed's weights and orders follow from the first's."""
        return {
            "command": "train",
            "workload": self.workload,
            "contestants": [contestant.describe() for contestant in self.contestants],
            "test": file_sha(self.test),
            "epochs": self.settings.epochs,
            "seeds": self.settings.seeds,
            "measured_by": measured_by(),
        }

    def digest(self) -> str:
        """The same for the same trainings: what a killed run is found again by."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()
