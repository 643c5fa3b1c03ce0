"""optax's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": "optax.softmax_cross_entropy_with_integer_labels(net(x), y).mean()",
    "binary-cross-entropy": "optax.sigmoid_binary_cross_entropy(net(x), y).mean()",
    "mean-squared": "optax.squared_error(net(x), y).mean()",
    "half-squared": "optax.l2_loss(net(x), y).mean()",
    "absolute": "jnp.abs(net(x) - y).mean()",
}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction, saying only what differs from optax's defaults."""
    match recipe.optimiser:
        case SGD(rate):
            return f"optax.sgd({number(rate)})"
        case Momentum(rate, momentum, nesterov):
            return call(
                "optax.sgd",
                number(rate),
                momentum=number(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "optax.adam",
                number(rate),
                b1=unless(0.9, beta1, number(beta1)),
                b2=unless(0.999, beta2, number(beta2)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(rate, rho, epsilon, decay):
            return call(
                "optax.rmsprop",
                "rate" if decay else number(rate),
                decay=unless(0.9, rho, number(rho)),
                eps=unless(1e-8, epsilon, number(epsilon)),
                eps_in_sqrt="False",
            )
