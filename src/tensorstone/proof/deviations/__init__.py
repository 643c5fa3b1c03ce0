"""The catalogue of deviations: every known way of being almost right, simplest first.

The last two are found by experiment (proof/order.py, proof/dropout.py), not by computing them.
"""

from __future__ import annotations

from tensorstone.proof.deviations.deviation import Candidate, Deviation
from tensorstone.proof.deviations.layers import LAYERS
from tensorstone.proof.deviations.recipe import FEEDING, LOSSES, OPTIMISERS

CATALOGUE: tuple[Deviation, ...] = (*LOSSES, *LAYERS, *OPTIMISERS, *FEEDING)

# Name → meaning, of those that only an experiment with the program can show.
BY_EXPERIMENT: dict[str, str] = {
    "batches-shuffled": "samples come in another order",
    "dropout-in-prediction": "dropout is active in prediction",
    "dropout-rate": "dropout drops another share than it should",
    "dropout-scaling": "what dropout keeps is not divided by the share it keeps",
    "dropout-mask": "dropout draws one mask for every step, or for whole channels",
}

__all__ = ["BY_EXPERIMENT", "CATALOGUE", "Candidate", "Deviation"]
