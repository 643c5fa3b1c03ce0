"""The float64 meaning of every layer, loss and optimiser, in NumPy alone.

It also runs in float32, which says how much precision a model loses by itself.
"""

from tensorstone.oracle.cache import cached, digest
from tensorstone.oracle.case import RECIPE_QUIRKS, Arrays, Case
from tensorstone.oracle.conventions import CONVENTIONS, Convention
from tensorstone.oracle.operations import quirks_of
from tensorstone.oracle.run import activations, forward, gradients, output
from tensorstone.oracle.training import Trace, train

__all__ = [
    "CONVENTIONS",
    "RECIPE_QUIRKS",
    "Arrays",
    "Case",
    "Convention",
    "Trace",
    "activations",
    "cached",
    "digest",
    "forward",
    "gradients",
    "output",
    "quirks_of",
    "train",
]
