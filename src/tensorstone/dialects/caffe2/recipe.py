"""Caffe2's losses and optimisers."""

from __future__ import annotations

from tensorstone.dialects.shared.writing import call, number, unless
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop

# From the blob `x` to a loss for each value, which AveragedLoss takes the mean of.
LOSSES = {
    "binary-cross-entropy": ['x = model.net.SigmoidCrossEntropyWithLogits([x, "label"], "losses")'],
    "mean-squared": [
        'x = model.net.Sub([x, "label"], "error")',
        'x = model.net.Sqr(x, "losses")',
    ],
    "half-squared": [
        'x = model.net.Sub([x, "label"], "error")',
        'x = model.net.Sqr(x, "squared")',
        'x = model.net.Scale(x, "losses", scale=0.5)',
    ],
    "absolute": [
        'x = model.net.Sub([x, "label"], "error")',
        'x = model.net.Abs(x, "losses")',
    ],
}


def loss(recipe: Recipe) -> list[str]:
    """From the net's output `x` to `loss`."""
    if recipe.loss == "softmax-cross-entropy":
        return ['_, loss = model.net.SoftmaxWithLoss([x, "label"], ["softmax", "loss"])']
    return [*LOSSES[recipe.loss], 'loss = model.net.AveragedLoss(x, "loss")']


def optimiser(recipe: Recipe) -> list[str]:
    """The lines that add the optimiser to `model`, saying only what differs from the defaults."""
    match recipe.optimiser:
        case SGD(rate):
            return [call("optimizer.build_sgd", "model", base_learning_rate=number(rate))]
        case Momentum(rate, momentum, nesterov):
            made = call(
                "optimizer.build_sgd",
                "model",
                base_learning_rate=number(rate),
                momentum=number(momentum),
                nesterov=unless(True, nesterov, "False"),
            )
            return [made]
        case Adam(rate, beta1, beta2, epsilon):
            made = call(
                "adam = Adam",
                alpha=number(rate),
                beta1=unless(0.9, beta1, number(beta1)),
                beta2=unless(0.999, beta2, number(beta2)),
                epsilon=unless(1e-8, epsilon, number(epsilon)),
            )
            return [
                made,
                "for parameter in model.GetOptimizationParamInfo():",
                "    adam(model.net, model.param_init_net, parameter)",
            ]
        case RMSprop(rate, rho, epsilon, decay):
            return _rmsprop(number(rate), number(rho), number(epsilon), decay)


def _rmsprop(rate: str, rho: str, epsilon: str, decay: float) -> list[str]:
    """Adagrad with a decay.

    Caffe2's RmsProp adds epsilon inside the square root. Adagrad adds it outside; its sum of
    squares is RMSprop's mean divided by 1 − rho.
    """
    lines = [
        "# RmsProp has epsilon inside the root. An Adagrad with a decay has it outside;",
        "# its sum of squares is RMSprop's mean of squares divided by 1 - rho.",
        f"scale = (1 - {rho}) ** 0.5",
    ]
    pace: dict[str, str] = {}
    first = f"{rate} / scale"
    if decay:
        lines += [
            "# The first step is number 1, and has the whole rate.",
            f"start = 1 - {number(decay)}",
        ]
        first = f"{rate} / scale / start"
        pace = {"policy": '"inv"', "gamma": f"{number(decay)} / start", "power": "1.0"}
    made = call(
        "optimizer.build_adagrad",
        "model",
        base_learning_rate=first,
        epsilon=f"{epsilon} / scale",
        decay=rho,
        **pace,
    )
    return [*lines, made]
