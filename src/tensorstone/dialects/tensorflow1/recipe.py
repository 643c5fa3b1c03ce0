"""TensorFlow 1's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.models.workload import Workload

LOSSES = {
    "softmax-cross-entropy": "tf.losses.sparse_softmax_cross_entropy(y, net.outputs)",
    "binary-cross-entropy": "tf.losses.sigmoid_cross_entropy(y, net.outputs)",
    "mean-squared": "tf.losses.mean_squared_error(y, net.outputs)",
    "half-squared": "tf.losses.mean_squared_error(y, net.outputs, weights=0.5)",
    "absolute": "tf.losses.absolute_difference(y, net.outputs)",
}


def describe(workload: Workload) -> dict[str, object]:
    """What the template needs to know of the recipe.

    `densely`: given an embedding's gradient row by row, TensorFlow's momentum rests, and squares
    do not fade, in the rows of tokens that are not in the batch.
    """
    optimiser = workload.recipe.optimiser
    tokens = workload.model.vocabulary is not None
    return {
        "loss": LOSSES[workload.recipe.loss],
        "optimiser": _optimiser(optimiser),
        "decay": getattr(optimiser, "decay", 0.0),
        "rmsprop": isinstance(optimiser, RMSprop),
        "stateful": not isinstance(optimiser, SGD),
        "densely": tokens and isinstance(optimiser, Momentum | RMSprop),
    }


def _optimiser(optimiser: Optimiser) -> str:
    """The optimiser's construction, saying only what differs from TensorFlow's defaults."""
    rate = "rate" if getattr(optimiser, "decay", 0.0) else number(optimiser.rate)
    match optimiser:
        case SGD():
            return call("tf.train.GradientDescentOptimizer", rate)
        case Momentum(_, momentum, nesterov):
            said = unless(False, nesterov, "True")
            return call("tf.train.MomentumOptimizer", rate, number(momentum), use_nesterov=said)
        case Adam(_, beta1, beta2, epsilon):
            return call(
                "tf.train.AdamOptimizer",
                rate,
                beta1=unless(0.9, beta1, number(beta1)),
                beta2=unless(0.999, beta2, number(beta2)),
                epsilon=unless(1e-8, epsilon, number(epsilon)),
            )
        case RMSprop(_, rho, epsilon):
            return call(
                "RMSProp",
                rate,
                rho=unless(0.9, rho, number(rho)),
                epsilon=unless(1e-7, epsilon, number(epsilon)),
            )
