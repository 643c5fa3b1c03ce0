"""Where frameworks may differ and still be right: the permitted variants, each said out loud.

A framework declares the conventions it follows, the oracle then computes the same variant, and the
proof stays as sharp as for anyone else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Convention:
    """One permitted variant: its name, and why it is another way and not a mistake."""

    name: str
    explanation: str


ADAM_EPSILON_BEFORE_CORRECTION = "adam-epsilon-before-correction"
BATCHNORM_UNBIASED_VARIANCE = "batchnorm-unbiased-variance"

CONVENTIONS: dict[str, Convention] = {
    convention.name: convention
    for convention in (
        Convention(
            ADAM_EPSILON_BEFORE_CORRECTION,
            "Adam adds epsilon to √v before the bias correction instead of to √v̂ after it: "
            "w ← w − rate · √(1−β₂ᵗ)/(1−β₁ᵗ) · m / (√v + ε). The paper that introduced Adam gives "
            "this form as a cheaper rewriting of its algorithm. It is the other form with epsilon "
            "divided by √(1−β₂ᵗ): larger in the first steps, the same in the limit, and visible "
            "only where gradients are about as small as epsilon.",
        ),
        Convention(
            BATCHNORM_UNBIASED_VARIANCE,
            "Batch normalisation divides by the batch's biased variance in training everywhere, "
            "but the running variance that prediction uses accumulates the unbiased one, "
            "n/(n−1) times larger for n values a channel. It is the better estimate of the "
            "population's variance; the difference fades as the batch and the map grow. Training "
            "losses and gradients are untouched.",
        ),
    )
}
