"""What an optimiser does. (Being written.)"""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.models.recipe import Optimiser
from tensorstone.oracle import Arrays
from tensorstone.proof.measuring.finding import Finding


@dataclass(frozen=True)
class UpdateEvidence:
    optimiser: Optimiser
    conventions: frozenset[str]
    weights: tuple[Arrays, ...]
    gradients: tuple[Arrays, ...]
    tolerance: float


def describe_updates(evidence: UpdateEvidence) -> Finding | None:
    return None
