"""Paddle's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.torch_like import recipe as torch_like
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = torch_like.LOSSES


def optimiser(recipe: Recipe, weights: str | None) -> str:
    """Its construction, saying only what differs from Paddle's defaults.

    `weights` are the parameters it is given; a static Program knows them by itself.
    """
    match recipe.optimiser:
        case SGD(rate):
            return call("paddle.optimizer.SGD", number(rate), parameters=weights)
        case Momentum(rate, momentum, nesterov):
            return call(
                "paddle.optimizer.Momentum",
                number(rate),
                momentum=unless(0.9, momentum, number(momentum)),
                parameters=weights,
                use_nesterov=unless(False, nesterov, "True"),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "paddle.optimizer.Adam",
                number(rate),
                beta1=unless(0.9, beta1, number(beta1)),
                beta2=unless(0.999, beta2, number(beta2)),
                epsilon=unless(1e-8, epsilon, number(epsilon)),
                parameters=weights,
            )
        case RMSprop(rate, rho, epsilon, decay):
            return call(
                "RMSProp",
                "scheduler" if decay else number(rate),
                rho=number(rho),
                epsilon=number(epsilon),
                parameters=weights,
            )
