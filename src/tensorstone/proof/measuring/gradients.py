"""What a program's gradients are, where they are not the oracle's."""

from __future__ import annotations

import numpy as np

from tensorstone.proof.measuring.gradient_elements import describe_elements
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.measuring.gradient_loss import describe_loss
from tensorstone.proof.measuring.gradient_penalty import describe_penalty
from tensorstone.proof.measuring.gradient_scale import describe_scale
from tensorstone.proof.measuring.sentence import Sentence

_CLEAR = 10.0  # tolerances: what is nearer may be rounding

__all__ = ["GradientEvidence", "describe_gradients"]


def describe_gradients(evidence: GradientEvidence) -> Sentence | None:
    """What the program does to its gradients, in a sentence; None where no simple one holds."""
    if not _usable(evidence) or not evidence.wrong:
        return None
    expected = {name: evidence.expected[name] for name in evidence.order}
    if evidence.error(expected) <= _CLEAR * evidence.tolerance:
        return None
    for describe in (describe_scale, describe_elements, describe_penalty, describe_loss):
        found = describe(evidence)
        if found:
            return found
    return None


def _usable(evidence: GradientEvidence) -> bool:
    """All arrays are there, finite and of the right shapes."""
    return bool(evidence.order) and all(
        name in evidence.observed
        and name in evidence.weights
        and evidence.observed[name].shape == evidence.expected[name].shape
        and np.isfinite(evidence.observed[name]).all()
        and np.isfinite(evidence.expected[name]).all()
        for name in evidence.order
    )
