"""MXNet's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import number
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

# Gluon's losses are means over the outputs, one for each sample; L2Loss is half the square.
GLUON_LOSSES = {
    "softmax-cross-entropy": "gluon.loss.SoftmaxCrossEntropyLoss()",
    "binary-cross-entropy": "gluon.loss.SigmoidBinaryCrossEntropyLoss()",
    "mean-squared": "gluon.loss.L2Loss(weight=2)",
    "half-squared": "gluon.loss.L2Loss()",
    "absolute": "gluon.loss.L1Loss()",
}
# Module's losses as symbols of the output `x` and the label.
SYMBOL_LOSSES = {
    "binary-cross-entropy": 'mx.sym.Activation(x, act_type="softrelu") - x * label',
    "mean-squared": "mx.sym.square(x - label)",
    "half-squared": "0.5 * mx.sym.square(x - label)",
    "absolute": "mx.sym.abs(x - label)",
}


def optimiser(recipe: Recipe) -> tuple[str, dict[str, str]]:
    """The optimiser's name and its settings, saying only what differs from MXNet's defaults."""
    match recipe.optimiser:
        case SGD(rate):
            return "sgd", {"learning_rate": number(rate)}
        case Momentum(rate, momentum, nesterov):
            settings = {"learning_rate": number(rate), "momentum": number(momentum)}
            return "nag" if nesterov else "sgd", settings
        case Adam(rate, beta1, beta2, epsilon):
            given = {"beta1": (beta1, 0.9), "beta2": (beta2, 0.999), "epsilon": (epsilon, 1e-8)}
            return "adam", {"learning_rate": number(rate), **_said(given)}
        case RMSprop(rate, rho, epsilon, decay):
            pace = {"lr_scheduler": f"InverseDecay({number(rate)})"}
            given = {"rho": (rho, 0.9), "epsilon": (epsilon, 1e-7)}
            return "plainrmsprop", {
                **(pace if decay else {"learning_rate": number(rate)}),
                **_said(given),
            }


def _said(given: dict[str, tuple[float, float]]) -> dict[str, str]:
    return {name: number(value) for name, (value, default) in given.items() if value != default}
