"""OneFlow's words for losses and optimisers, saying only what differs from its defaults."""

from __future__ import annotations

from tensorstone.dialects import torch_words
from tensorstone.dialects.writing import call, number, unless
from tensorstone.models.recipe import Recipe, RMSprop

LOSSES = {
    "softmax-cross-entropy": "nn.CrossEntropyLoss()",
    "binary-cross-entropy": "nn.BCEWithLogitsLoss()",
    "mean-squared": "nn.MSELoss()",
    "half-squared": "half_squared",
    "absolute": "nn.L1Loss()",
}


def optimiser(recipe: Recipe) -> str:
    """The optimiser's construction."""
    match recipe.optimiser:
        case RMSprop(rate, rho, epsilon):
            # Its own RMSprop adds epsilon under the root, and a graph takes no other optimisers
            # than OneFlow's: an Adam that is neither smoothed nor corrected is what is meant.
            return call(
                "flow.optim.Adam",
                "net.parameters()",
                lr=number(rate),
                betas=f"(0, {number(rho)})",
                eps=unless(1e-8, epsilon, number(epsilon)),
                do_bias_correction="False",
            )
        case usual:
            return torch_words.optimiser(usual, "flow")
