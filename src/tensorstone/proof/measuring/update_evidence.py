"""What is known of a program's updates."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.models.recipe import Optimiser
from tensorstone.oracle import Arrays

_SINGLE = 1e-7  # a tolerance above this is of float32


@dataclass(frozen=True)
class UpdateEvidence:
    """Weights after so many updates, and the gradients they were made of.

    `gradients[t]` is the oracle's at `weights[t]`, on the batch of the update that leads to
    `weights[t + 1]`; arrays in forward order.
    """

    optimiser: Optimiser
    conventions: frozenset[str]
    weights: tuple[Arrays, ...]
    gradients: tuple[Arrays, ...]
    tolerance: float  # relative to an array's largest step

    @property
    def single(self) -> bool:
        """Whether the program computes in float32."""
        return self.tolerance > _SINGLE
