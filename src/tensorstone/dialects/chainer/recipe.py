"""Chainer's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": "F.softmax_cross_entropy",
    "binary-cross-entropy": "binary_cross_entropy",
    "mean-squared": "F.mean_squared_error",
    "half-squared": "half_squared_error",
    "absolute": "F.mean_absolute_error",
}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction, saying only what differs from Chainer's defaults."""
    match recipe.optimiser:
        case SGD(rate):
            return call("chainer.optimizers.SGD", lr=number(rate))
        case Momentum(rate, momentum, nesterov):
            return call(
                "Nesterov" if nesterov else "chainer.optimizers.MomentumSGD",
                lr=number(rate),
                momentum=unless(0.9, momentum, number(momentum)),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "chainer.optimizers.Adam",
                alpha=number(rate),
                beta1=unless(0.9, beta1, number(beta1)),
                beta2=unless(0.999, beta2, number(beta2)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(rate, rho, epsilon):
            return call(
                "chainer.optimizers.RMSprop",
                lr=number(rate),
                alpha=unless(0.99, rho, number(rho)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
