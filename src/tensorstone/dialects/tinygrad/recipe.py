"""tinygrad's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": "net(x).sparse_categorical_crossentropy(y)",
    "binary-cross-entropy": "net(x).binary_crossentropy_logits(y)",
    "mean-squared": "(net(x) - y).square().mean()",
    "half-squared": "0.5 * (net(x) - y).square().mean()",
    "absolute": "(net(x) - y).abs().mean()",
}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction, saying only what differs from tinygrad's defaults."""
    weights = "nn.state.get_parameters(net)"
    match recipe.optimiser:
        case SGD(rate):
            return call("nn.optim.SGD", weights, lr=number(rate))
        case Momentum(rate, momentum, nesterov):
            return call(
                "nn.optim.SGD",
                weights,
                lr=number(rate),
                momentum=number(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "nn.optim.Adam",
                weights,
                lr=number(rate),
                b1=unless(0.9, beta1, number(beta1)),
                b2=unless(0.999, beta2, number(beta2)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(rate, rho, epsilon, decay):
            return call(
                "RMSprop",
                weights,
                lr=number(rate),
                rho=number(rho),
                eps=number(epsilon),
                decay=unless(0, decay, number(decay)),
            )
