"""Keras's words for losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.registry import Dialect
from tensorstone.dialects.writing import call, number, unless
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, leaves
from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.models.workload import Workload

LOSSES = {
    "softmax-cross-entropy": "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "binary-cross-entropy": "keras.losses.BinaryCrossentropy(from_logits=True)",
    "mean-squared": "keras.losses.MeanSquaredError()",
    "half-squared": "half_squared",
    "absolute": "keras.losses.MeanAbsoluteError()",
}

# The losses on logits that Keras computes from what stands before such a final activation.
LOOKS_THROUGH = {
    "softmax-cross-entropy": (L.Softmax, "cross_entropy", "sparse_categorical_crossentropy"),
    "binary-cross-entropy": (L.Sigmoid, "cross_entropy", "binary_crossentropy"),
}

DECORATORS = {
    "keras": "",
    "eager": "",
    "function": "@tf.function",
    "xla": "@tf.function(jit_compile=True)",
}


def describe(workload: Workload, dialect: Dialect) -> dict[str, object]:
    """What the template needs to know of the recipe."""
    recipe = workload.recipe
    through = _looked_through(recipe.loss, workload.model.chain)
    decay = getattr(recipe.optimiser, "decay", 0.0)
    tokens = workload.model.vocabulary is not None
    return {
        "loss": through[0] if through else LOSSES[recipe.loss],
        "looked_through": through,
        "optimiser": _optimiser(recipe.optimiser, decay, tokens),
        "optimiser_note": _note(recipe.optimiser),
        "decay": _decay(recipe.optimiser, decay),
        "rmsprop": isinstance(recipe.optimiser, RMSprop),
        "adam": tokens and isinstance(recipe.optimiser, Adam),
        "tokens": tokens,
        "decorator": DECORATORS[dialect.short],
    }


def _looked_through(loss: str, chain: Chain) -> tuple[str, str] | None:
    """A loss of our own, as (name, Keras's function), where Keras's class would see too much."""
    if loss not in LOOKS_THROUGH:
        return None
    activation, name, function = LOOKS_THROUGH[loss]
    ends = [
        leaf.layer for leaf in leaves(chain) if not isinstance(leaf.layer, L.Dropout | L.Flatten)
    ]
    return (name, function) if ends and isinstance(ends[-1], activation) else None


def _optimiser(optimiser: Optimiser, decay: float, tokens: bool) -> str:
    """The optimiser's construction, saying only what differs from Keras's defaults.

    `tokens`: an embedding's gradient has a row for each token of the batch, the same one's apart.
    Keras's Adam squares them so; the program has its own, which adds them up before.
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
                "Adam" if tokens else "keras.optimizers.Adam",
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
