"""MindSpore's losses and optimisers, saying only what differs from its defaults."""

from __future__ import annotations

from tensorstone.dialects.shared.torch_like import recipe as torch_like
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

LOSSES = torch_like.LOSSES | {"half-squared": "HalfSquared()"}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction."""
    weights = "net.trainable_params()"
    match recipe.optimiser:
        case SGD(rate):
            return call("nn.SGD", weights, learning_rate=number(rate))
        case Momentum(rate, momentum, nesterov):
            # nn.Momentum takes use_nesterov=True and ignores it on the CPU (docs/findings.md);
            # nn.SGD refuses nesterov=True where there is no momentum, which is plain descent.
            ahead = nesterov and momentum > 0
            return call(
                "nn.SGD" if ahead else "nn.Momentum",
                weights,
                learning_rate=number(rate),
                momentum=number(momentum),
                nesterov=unless(False, ahead, "True"),
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "nn.Adam",
                weights,
                learning_rate=number(rate),
                beta1=unless(0.9, beta1, number(beta1)),
                beta2=unless(0.999, beta2, number(beta2)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(rate, rho, epsilon, decay):
            # nn.RMSProp adds epsilon inside the root: an Adam that is not corrected, and forgets
            # its mean at once, is what is meant. Zero is refused for beta1; this rounds to it.
            scheduled = f"nn.InverseDecayLR({number(rate)}, {number(decay)}, decay_steps=1)"
            return call(
                "nn.AdamWeightDecay",
                weights,
                learning_rate=scheduled if decay else number(rate),
                beta1="1e-30",
                beta2=number(rho),
                eps=unless(1e-6, epsilon, number(epsilon)),
            )
