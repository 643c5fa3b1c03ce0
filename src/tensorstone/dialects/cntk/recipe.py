"""CNTK's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop
from tensorstone.models.workload import Workload

# For one sample: CNTK takes the mean over the batch, and over the steps of sequences.
LOSSES = {
    "softmax-cross-entropy": "C.cross_entropy_with_softmax(net, C.one_hot(y, {classes}))",
    "binary-cross-entropy": "C.reduce_mean(C.softplus(net) - y * net)",
    "mean-squared": "C.reduce_mean(C.square(net - y))",
    "half-squared": "0.5 * C.reduce_mean(C.square(net - y))",
    "absolute": "C.reduce_mean(C.abs(net - y))",
}


def loss(workload: Workload) -> str:
    return LOSSES[workload.recipe.loss].format(classes=int(workload.model.outputs[0]))


def targets(workload: Workload) -> str:
    """The variable for what is to be learnt."""
    return "C.input_variable(())" if workload.classifies else variable(workload.model.outputs)


def variable(shape: tuple[int, ...], tokens: bool = False) -> str:
    """An input of this shape; time is no axis of it, but sequences have steps."""
    if tokens:
        return "C.sequence.input_variable(())"
    if len(shape) == 2:
        return f"C.sequence.input_variable({int(shape[1])})"
    given = int(shape[0]) if len(shape) == 1 else tuple(map(int, shape))
    return f"C.input_variable({given})"


def optimiser(recipe: Recipe) -> str:
    """The learner's construction."""
    weights = "net.parameters"
    match recipe.optimiser:
        case SGD(rate):
            return call("C.sgd", weights, number(rate))
        case Momentum(rate, momentum, nesterov):
            return call(
                "C.nesterov" if nesterov else "C.momentum_sgd",
                weights,
                number(rate),
                number(momentum),
                unit_gain="False",
            )
        case Adam(rate, beta1, beta2, epsilon):
            return call(
                "C.adam",
                weights,
                number(rate),
                number(beta1),
                variance_momentum=number(beta2),
                epsilon=unless(1e-8, epsilon, number(epsilon)),
                minibatch_size="C.learners.IGNORE",
            )
        case RMSprop():
            return f"C.universal(rmsprop, {weights})"
