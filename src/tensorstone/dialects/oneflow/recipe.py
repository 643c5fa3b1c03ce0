"""OneFlow's words for losses and optimisers, saying only what differs from its defaults."""

from __future__ import annotations

from tensorstone.dialects.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": "nn.CrossEntropyLoss()",
    "binary-cross-entropy": "nn.BCEWithLogitsLoss()",
    "mean-squared": "nn.MSELoss()",
    "half-squared": "half_squared",
    "absolute": "nn.L1Loss()",
}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction."""
    weights = "net.parameters()"
    match recipe.optimiser:
        case SGD(rate):
            return call("flow.optim.SGD", weights, lr=number(rate))
        case Momentum(rate, momentum, nesterov):
            return call(
                "flow.optim.SGD",
                weights,
                lr=number(rate),
                momentum=number(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "flow.optim.Adam",
                weights,
                lr=number(rate),
                betas=unless((0.9, 0.999), (beta1, beta2), f"({number(beta1)}, {number(beta2)})"),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(rate, rho, epsilon):
            # Its own RMSprop adds epsilon under the root, and a graph takes no other optimisers
            # than OneFlow's: an Adam that is neither smoothed nor corrected is what is meant.
            return call(
                "flow.optim.Adam",
                weights,
                lr=number(rate),
                betas=f"(0, {number(rho)})",
                eps=unless(1e-8, epsilon, number(epsilon)),
                do_bias_correction="False",
            )
