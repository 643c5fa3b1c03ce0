"""Keras 2's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.models.workload import Workload

LOSSES = {
    "softmax-cross-entropy": "cross_entropy",
    "binary-cross-entropy": "cross_entropy",
    "mean-squared": '"mean_squared_error"',
    "half-squared": "half_squared",
    "absolute": '"mean_absolute_error"',
}
# Keras clips probabilities in its cross-entropies, those it makes of logits too; there it learns
# nothing any more.
OWN = ("softmax-cross-entropy", "binary-cross-entropy", "half-squared")
EPSILONS = {"theano": 1e-7, "cntk": 1e-7, "mxnet": 1e-8}  # of Adam and RMSprop, by default


def describe(workload: Workload, backend: str) -> dict[str, object]:
    """What the template needs to know of the recipe."""
    recipe = workload.recipe
    return {
        "loss": LOSSES[recipe.loss],
        "own_loss": recipe.loss in OWN,
        "optimiser": _optimiser(recipe.optimiser, backend),
        # On MXNet Keras's own adds epsilon inside the square root, and decays from update 1.
        "own_rmsprop": backend == "mxnet" and isinstance(recipe.optimiser, RMSprop),
    }


def _optimiser(optimiser: Optimiser, backend: str) -> str:
    """The optimiser's construction, saying only what differs from its defaults."""
    rate = number(optimiser.rate)
    match optimiser:
        case SGD():
            return call("keras.optimizers.SGD", lr=rate)
        case Momentum(_, momentum, nesterov):
            if nesterov and backend == "mxnet":
                raise Unsupported("Momentum: keras-mxnet's SGD takes nesterov=True and ignores it")
            return call(
                "keras.optimizers.SGD",
                lr=rate,
                momentum=number(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(_, beta1, beta2, epsilon):
            return call(
                "keras.optimizers.Adam",
                lr=rate,
                beta_1=unless(0.9, beta1, number(beta1)),
                beta_2=unless(0.999, beta2, number(beta2)),
                epsilon=unless(EPSILONS[backend], epsilon, number(epsilon)),
            )
        case RMSprop(_, rho, epsilon, decay):
            return call(
                "RMSprop" if backend == "mxnet" else "keras.optimizers.RMSprop",
                lr=rate,
                rho=unless(0.9, rho, number(rho)),
                epsilon=unless(EPSILONS[backend], epsilon, number(epsilon)),
                decay=unless(0.0, decay, number(decay)),
            )
