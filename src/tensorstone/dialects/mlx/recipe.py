"""MLX's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": 'nn.losses.cross_entropy(net(x), y, reduction="mean")',
    "binary-cross-entropy": "nn.losses.binary_cross_entropy(net(x), y)",
    "mean-squared": "nn.losses.mse_loss(net(x), y)",
    "half-squared": "0.5 * nn.losses.mse_loss(net(x), y)",
    "absolute": "nn.losses.l1_loss(net(x), y)",
}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction, saying only what differs from MLX's defaults."""
    match recipe.optimiser:
        case SGD(rate):
            return call("optim.SGD", learning_rate=number(rate))
        case Momentum(rate, momentum, nesterov):
            # MLX refuses Nesterov's form of no momentum, which changes nothing anyway.
            ahead = nesterov and momentum > 0
            return call(
                "optim.SGD",
                learning_rate=number(rate),
                momentum=number(momentum),
                nesterov=unless(False, ahead, "True"),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "optim.Adam",
                learning_rate=number(rate),
                betas=unless((0.9, 0.999), (beta1, beta2), f"[{number(beta1)}, {number(beta2)}]"),
                eps=unless(1e-8, epsilon, number(epsilon)),
                bias_correction="True",
            )
        case RMSprop(rate, rho, epsilon, decay):
            return call(
                "optim.RMSprop",
                learning_rate="rate" if decay else number(rate),
                alpha=unless(0.99, rho, number(rho)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
