"""Lasagne's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": "objectives.categorical_crossentropy(get_output(net), y).mean()",
    "binary-cross-entropy": "objectives.binary_crossentropy(get_output(net), y).mean()",
    "mean-squared": "objectives.squared_error(get_output(net), y).mean()",
    "half-squared": "0.5 * objectives.squared_error(get_output(net), y).mean()",
    "absolute": "abs(get_output(net) - y).mean()",
}

# By the number of axes, the batch's included.
TENSORS = {1: "vector", 2: "matrix", 3: "tensor3", 4: "tensor4"}


def optimiser(recipe: Recipe) -> str:
    """The call that makes the updates, saying only what differs from Lasagne's defaults."""
    match recipe.optimiser:
        case SGD(rate):
            return call("updates.sgd", "loss", "weights", number(rate))
        case Momentum(rate, momentum, nesterov):
            return call(
                f"updates.{'nesterov_momentum' if nesterov else 'momentum'}",
                "loss",
                "weights",
                number(rate),
                momentum=unless(0.9, momentum, number(momentum)),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "updates.adam",
                "loss",
                "weights",
                number(rate),
                beta1=unless(0.9, beta1, number(beta1)),
                beta2=unless(0.999, beta2, number(beta2)),
                epsilon=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(rate, rho, epsilon, decay):
            return call(
                "rmsprop",
                "loss",
                "weights",
                "rate" if decay else number(rate),
                rho=unless(0.9, rho, number(rho)),
                epsilon=unless(1e-7, epsilon, number(epsilon)),
            )
