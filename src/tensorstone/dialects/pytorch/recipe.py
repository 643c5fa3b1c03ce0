"""PyTorch's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.torch_like import recipe
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import Recipe, RMSprop

LOSSES = recipe.LOSSES


def optimiser(given: Recipe) -> str:
    """The optimiser's construction, saying only what differs from PyTorch's defaults."""
    match given.optimiser:
        case RMSprop(rate, rho, epsilon):
            return call(
                "torch.optim.RMSprop",
                "net.parameters()",
                lr=number(rate),
                alpha=unless(0.99, rho, number(rho)),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
        case usual:
            return recipe.optimiser(usual, "torch")
