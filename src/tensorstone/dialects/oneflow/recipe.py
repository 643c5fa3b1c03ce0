"""OneFlow's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.torch_like import recipe
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import Recipe, RMSprop

LOSSES = recipe.LOSSES


def optimiser(given: Recipe) -> str:
    """The optimiser's construction, saying only what differs from OneFlow's defaults."""
    match given.optimiser:
        case RMSprop(rate, rho, epsilon):
            # OneFlow's RMSprop adds epsilon inside the square root, and a graph takes no optimiser
            # but OneFlow's own. Adam without smoothing and without correction is the same formula.
            return call(
                "flow.optim.Adam",
                "net.parameters()",
                lr=number(rate),
                betas=f"(0, {number(rho)})",
                eps=unless(1e-8, epsilon, number(epsilon)),
                do_bias_correction="False",
            )
        case usual:
            return recipe.optimiser(usual, "flow")
