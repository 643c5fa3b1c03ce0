"""Recipes: the loss, the optimiser with its exact formula, and how training is laid out.

g is the gradient of the loss, w a weight, t the update's number from 1; all state starts at zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tensorstone.models import checks, messages
from tensorstone.support.errors import StoneError

Loss = Literal[
    "softmax-cross-entropy",  # −log softmax(logits)[label], mean over the batch; integer labels
    "binary-cross-entropy",  # on logits, targets 0 or 1, mean over batch and outputs
    "mean-squared",  # (output − target)², mean over batch and outputs
    "half-squared",  # ½ (output − target)², mean over batch and outputs ("L2 loss")
    "absolute",  # |output − target|, mean over batch and outputs
]
LOSSES: tuple[str, ...] = get_args(Loss)

Metric = Literal["accuracy", "mse", "mae", "r2"]
METRICS: tuple[str, ...] = get_args(Metric)


@dataclass(frozen=True)
class SGD:
    """w ← w − rate · g"""

    rate: float

    def __post_init__(self) -> None:
        checks.positive("SGD", "rate", self.rate)


@dataclass(frozen=True)
class Momentum:
    """v ← momentum · v + g (no unit gain);  w ← w − rate · v

    Nesterov: w ← w − rate · (g + momentum · v), with the new v.
    """

    rate: float
    momentum: float = 0.9
    nesterov: bool = False

    def __post_init__(self) -> None:
        checks.positive("Momentum", "rate", self.rate)
        checks.number("Momentum", "momentum", self.momentum, least=0, below=1)
        checks.flag("Momentum", "nesterov", self.nesterov)


@dataclass(frozen=True)
class Adam:
    """m ← β₁m + (1−β₁)g;  v ← β₂v + (1−β₂)g²;  w ← w − rate · m̂ / (√v̂ + epsilon)

    with m̂ = m/(1−β₁ᵗ), v̂ = v/(1−β₂ᵗ). Frameworks that add epsilon to √v before the correction
    declare the convention `adam-epsilon-before-correction` (docs/architecture.md).
    """

    rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        checks.positive("Adam", "rate", self.rate)
        checks.number("Adam", "beta1", self.beta1, least=0, below=1)
        checks.number("Adam", "beta2", self.beta2, least=0, below=1)
        checks.positive("Adam", "epsilon", self.epsilon)


@dataclass(frozen=True)
class RMSprop:
    """a ← rho · a + (1−rho) g²;  w ← w − rateₜ · g / (√a + epsilon)

    epsilon stands outside the root. rateₜ = rate / (1 + decay · (t−1)).
    """

    rate: float = 1e-3
    rho: float = 0.9
    epsilon: float = 1e-7
    decay: float = 0.0

    def __post_init__(self) -> None:
        checks.positive("RMSprop", "rate", self.rate)
        checks.number("RMSprop", "rho", self.rho, least=0, below=1)
        checks.positive("RMSprop", "epsilon", self.epsilon)
        checks.number("RMSprop", "decay", self.decay, least=0)


Optimiser = SGD | Momentum | Adam | RMSprop


@dataclass(frozen=True)
class Recipe:
    """How a model is trained. Batches come in order and an incomplete last one is dropped."""

    loss: Loss
    optimiser: Optimiser
    batch: int
    epochs: int
    metric: Metric

    def __post_init__(self) -> None:
        checks.choice("Recipe", "loss", self.loss, LOSSES)
        checks.choice("Recipe", "metric", self.metric, METRICS)
        if (self.metric == "accuracy") != self.loss.endswith("cross-entropy"):
            raise StoneError(*messages.metric_of_another_loss(self.metric, self.loss))
        if not isinstance(self.optimiser, Optimiser):
            raise StoneError(*messages.unknown_optimiser(self.optimiser))
        checks.whole("Recipe", "batch", self.batch, least=1)
        checks.whole("Recipe", "epochs", self.epochs, least=1)
