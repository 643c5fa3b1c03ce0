"""What an optimiser makes of right gradients, where it is not what the model says."""

from __future__ import annotations

import numpy as np

from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.update_evidence import UpdateEvidence
from tensorstone.proof.measuring.update_norms import describe_norms
from tensorstone.proof.measuring.update_rates import describe_rates
from tensorstone.proof.measuring.update_remains import describe_remains
from tensorstone.proof.measuring.update_rounding import describe_rounding
from tensorstone.proof.measuring.update_search import UpdateCase, search

__all__ = ["UpdateEvidence", "describe_updates"]


def describe_updates(evidence: UpdateEvidence) -> Sentence | None:
    """What the program does to its weights, in a sentence; None where nothing simple holds."""
    if not _usable(evidence):
        return None
    case = UpdateCase(evidence)
    if not case.wrong:
        return None
    with np.errstate(all="ignore"):
        for describe in (
            describe_rounding,
            describe_rates,
            search,
            describe_norms,
            describe_remains,
        ):
            found = describe(case)
            if found:
                return found
    return None


def _usable(evidence: UpdateEvidence) -> bool:
    """Weights before and after every update are there, finite and of the right shapes."""
    count = len(evidence.gradients)
    if not count or len(evidence.weights) <= count or not evidence.gradients[0]:
        return False
    return all(
        name in weights and weights[name].shape == g.shape and np.isfinite(weights[name]).all()
        for weights in evidence.weights[: count + 1]
        for name, g in evidence.gradients[0].items()
    ) and all(np.isfinite(g).all() for found in evidence.gradients for g in found.values())
