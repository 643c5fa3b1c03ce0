"""The catalogue of deviations: every known way of being almost right, simplest first."""

from __future__ import annotations

from tensorstone.proof.deviations.deviation import Deviation, Suspect
from tensorstone.proof.deviations.layers import LAYERS
from tensorstone.proof.deviations.recipe import FEEDING, LOSSES, OPTIMISERS
from tensorstone.proof.deviations.recurrent import RECURRENT

# Random things cannot be computed again; these are found by asking the program (proof/order.py,
# proof/dropout.py).
BY_EXPERIMENT = (
    Deviation("batches-shuffled", "samples come in another order", lambda _: ()),
    Deviation("dropout-in-prediction", "dropout is active in prediction", lambda _: ()),
    Deviation("dropout-rate", "dropout drops another share than it should", lambda _: ()),
    Deviation(
        "dropout-scaling",
        "what dropout keeps is not divided by the share it keeps",
        lambda _: (),
    ),
    Deviation(
        "dropout-mask",
        "dropout repeats its mask in the next step or in every sample, or drops whole channels, or"
        " whole samples",
        lambda _: (),
    ),
)

CATALOGUE: tuple[Deviation, ...] = (
    *LOSSES,
    *LAYERS,
    *RECURRENT,
    *OPTIMISERS,
    *FEEDING,
    *BY_EXPERIMENT,
)
MEANINGS: dict[str, str] = {deviation.name: deviation.meaning for deviation in CATALOGUE}

__all__ = ["CATALOGUE", "MEANINGS", "Deviation", "Suspect"]
