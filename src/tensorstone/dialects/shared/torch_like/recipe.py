"""Losses, and optimisers with only what differs from the defaults."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum

LOSSES = {
    "softmax-cross-entropy": "nn.CrossEntropyLoss()",
    "binary-cross-entropy": "nn.BCEWithLogitsLoss()",
    "mean-squared": "nn.MSELoss()",
    "half-squared": "half_squared",
    "absolute": "nn.L1Loss()",
}


def optimiser(chosen: SGD | Momentum | Adam, library: str) -> str:
    """The optimiser's construction; `library` is what the program calls the framework."""
    weights, rate = "net.parameters()", number(chosen.rate)
    match chosen:
        case SGD():
            return call(f"{library}.optim.SGD", weights, lr=rate)
        case Momentum(_, momentum, nesterov):
            return call(
                f"{library}.optim.SGD",
                weights,
                lr=rate,
                momentum=number(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(_, beta1, beta2, epsilon):
            return call(
                f"{library}.optim.Adam",
                weights,
                lr=rate,
                betas=unless((0.9, 0.999), (beta1, beta2), f"({number(beta1)}, {number(beta2)})"),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )
