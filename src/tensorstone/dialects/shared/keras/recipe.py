"""Keras's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.models.workload import Workload

LOSSES = {
    "softmax-cross-entropy": "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "binary-cross-entropy": "keras.losses.BinaryCrossentropy(from_logits=True)",
    "mean-squared": "keras.losses.MeanSquaredError()",
    "half-squared": "half_squared",
    "absolute": "keras.losses.MeanAbsoluteError()",
}


def describe(workload: Workload, adam: str = "keras.optimizers.Adam") -> dict[str, object]:
    """What a template needs to know of the recipe; `adam` is the class that says it."""
    recipe = workload.recipe
    decay = getattr(recipe.optimiser, "decay", 0.0)
    return {
        "loss": LOSSES[recipe.loss],
        "optimiser": _optimiser(recipe.optimiser, decay, adam),
        "optimiser_note": _note(recipe.optimiser),
        "decay": _decay(recipe.optimiser, decay),
        "rmsprop": isinstance(recipe.optimiser, RMSprop),
    }


def _optimiser(optimiser: Optimiser, decay: float, adam: str) -> str:
    """The optimiser's construction, saying only what differs from Keras's defaults.

    RMSprop is the program's own class: Keras adds epsilon inside the square root.
    """
    rate = "rate" if decay else _float(optimiser.rate)
    match optimiser:
        case SGD():
            return call("keras.optimizers.SGD", learning_rate=rate)
        case Momentum(_, momentum, nesterov):
            return call(
                "keras.optimizers.SGD",
                learning_rate=rate,
                momentum=_float(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(_, beta1, beta2, epsilon):
            return call(
                adam,
                learning_rate=rate,
                beta_1=unless(0.9, beta1, _float(beta1)),
                beta_2=unless(0.999, beta2, _float(beta2)),
                epsilon=unless(1e-7, epsilon, _float(epsilon)),
            )
        case RMSprop(_, rho, epsilon):
            return call(
                "RMSprop",
                learning_rate=rate,
                rho=unless(0.9, rho, _float(rho)),
                epsilon=unless(1e-7, epsilon, _float(epsilon)),
            )


def _note(optimiser: Optimiser) -> str:
    other = isinstance(optimiser, Adam) and optimiser.epsilon != 1e-7
    return "# Keras's own epsilon is 1e-7." if other else ""


def _decay(optimiser: Optimiser, decay: float) -> str:
    """The schedule rate / (1 + decay · updates made so far)."""
    if not decay:
        return ""
    return call(
        "keras.optimizers.schedules.InverseTimeDecay",
        _float(optimiser.rate),
        decay_steps="1",
        decay_rate=_float(decay),
    )


def _float(value: float) -> str:
    """Keras refuses whole numbers for rates and momentum."""
    return number(float(value))
