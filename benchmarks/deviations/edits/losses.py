"""Another loss, or the same one of other outputs."""

from __future__ import annotations

from typing import Any

from benchmarks.deviations.deviation import Deviation, deviation, swap
from benchmarks.deviations.nets import ABSOLUTE, BINARY, LENET, SERIES, SMOOTH

KERAS_CE = "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
CE = {
    "torch": "nn.CrossEntropyLoss()",
    "keras": KERAS_CE,
    "flax": "optax.softmax_cross_entropy_with_integer_labels(net(x), y).mean()",
    "gluon": "gluon.loss.SoftmaxCrossEntropyLoss()",
}
MSE = {
    "torch": "nn.MSELoss()",
    "keras": "keras.losses.MeanSquaredError()",
    "flax": "optax.squared_error(net(x), y).mean()",
    "gluon": "gluon.loss.L2Loss(weight=2)",
}
MAE = {
    "torch": "nn.L1Loss()",
    "keras": "keras.losses.MeanAbsoluteError()",
    "flax": "jnp.abs(net(x) - y).mean()",
    "gluon": "gluon.loss.L1Loss()",
}
BCE = {
    "torch": "nn.BCEWithLogitsLoss()",
    "keras": "keras.losses.BinaryCrossentropy(from_logits=True)",
    "flax": "optax.sigmoid_binary_cross_entropy(net(x), y).mean()",
    "gluon": "gluon.loss.SigmoidBinaryCrossEntropyLoss()",
}


def loss(
    was: dict[str, str], torch: str = "", keras: str = "", flax: str = "", gluon: str = ""
) -> dict[str, Any]:
    """The loss function of each dialect replaced; in JAX it is an expression of net(x) and y."""
    new = {"torch": torch, "keras": keras, "flax": flax, "gluon": gluon}
    return {name: swap(was[name], text) for name, text in new.items() if text}


ONE_HOT = "(lambda y, o: {0}(keras.ops.one_hot(keras.ops.cast(y, 'int32'), 4), o))"
PER_SAMPLE = "optax.softmax_cross_entropy_with_integer_labels(net(x), y)"

DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "loss-summed",
        LENET,
        "the loss is the sum over the batch, not the mean",
        says=("sum|mean|6|batch", "loss|gradient|batch|sum"),
        **loss(
            CE,
            'nn.CrossEntropyLoss(reduction="sum")',
            KERAS_CE[:-1] + ', reduction="sum")',
            PER_SAMPLE + ".sum()",
        ),
    ),
    deviation(
        "labels-smoothed",
        LENET,
        "labels are smoothed by 0.1",
        says=("smooth", r"0\.1"),
        **loss(
            CE,
            "nn.CrossEntropyLoss(label_smoothing=0.1)",
            ONE_HOT.format(
                "keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)"
            ),
            "optax.softmax_cross_entropy(net(x), optax.smooth_labels(nnx.one_hot(y, 4), 0.1)).mean()",
        ),
    ),
    deviation(
        "classes-weighted",
        LENET,
        "class 0 counts twice",
        says=("class|label", "weight|count|twice|2"),
        **loss(
            CE,
            "nn.CrossEntropyLoss(torch.tensor([2.0, 1.0, 1.0, 1.0]))",
            flax=f"({PER_SAMPLE} * (1 + (y == 0))).mean()",
        ),
    ),
    deviation(
        "softmax-twice",
        LENET,
        "the loss takes the softmax of a softmax",
        says=("softmax", "twice|two|again|second|already|more"),
        torch=swap("loss_fn(net(x), y)", "loss_fn(F.softmax(net(x), 1), y)"),
        flax=swap("labels(net(x), y)", "labels(nnx.softmax(net(x)), y)"),
        gluon=swap("loss_fn(net(x), y)", "loss_fn(net(x).softmax(), y)"),
    ),
    deviation(
        "from-logits-forgotten",
        LENET,
        "the loss takes the net's outputs for probabilities",
        says=("probab|logit|softmax",),
        blind=True,
        **loss(
            CE,
            keras="keras.losses.SparseCategoricalCrossentropy()",
            gluon="gluon.loss.SoftmaxCrossEntropyLoss(from_logits=True)",
        ),
    ),
    deviation(
        "log-missing",
        LENET,
        "the loss is minus the probability, not its logarithm",
        says=("log|probab",),
        torch=swap("loss_fn(net(x), y)", "loss_fn(F.softmax(net(x), 1), y)")
        + swap("nn.CrossEntropyLoss()", "nn.NLLLoss()"),
        flax=swap(CE["flax"], "-(nnx.softmax(net(x)) * jax.nn.one_hot(y, 4)).sum(-1).mean()")
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "softmax-missing",
        LENET,
        "the loss is minus the label's output: no softmax at all",
        says=("softmax|logit|output",),
        blind=True,
        **loss(CE, "nn.NLLLoss()"),
    ),
    deviation(
        "sigmoids-for-softmax",
        LENET,
        "each class's own binary cross-entropy, not the softmax's",
        says=("binary|sigmoid",),
        blind=True,
        **loss(
            CE,
            "lambda o, y: F.binary_cross_entropy_with_logits(o, F.one_hot(y, 4).float())",
            ONE_HOT.format("keras.losses.BinaryCrossentropy(from_logits=True)"),
        ),
    ),
    deviation(
        "temperature",
        LENET,
        "the softmax has a temperature of 2",
        says=("temperature|scal|divid|factor", r"\b2\b|0\.5|half|twice"),
        blind=True,
        torch=swap("loss_fn(net(x), y)", "loss_fn(net(x) / 2, y)"),
        flax=swap("labels(net(x), y)", "labels(net(x) / 2, y)"),
        gluon=swap("loss_fn(net(x), y)", "loss_fn(net(x) / 2, y)"),
    ),
    deviation(
        "focal",
        LENET,
        "a focal loss of gamma 2",
        says=("focal",),
        blind=True,
        **loss(
            CE,
            "lambda o, y: ((1 - (-F.cross_entropy(o, y, reduction='none')).exp()) ** 2"
            " * F.cross_entropy(o, y, reduction='none')).mean()",
        ),
    ),
    deviation(
        "class-ignored",
        LENET,
        "samples of class 0 are ignored: a padding's label",
        says=("class|label|ignor",),
        blind=True,
        **loss(
            CE,
            "nn.CrossEntropyLoss(ignore_index=0)",
            KERAS_CE[:-1] + ", ignore_class=0)",
        ),
    ),
    deviation(
        "hinge",
        LENET,
        "a margin loss for the cross-entropy",
        says=("margin|hinge",),
        blind=True,
        **loss(
            CE,
            "nn.MultiMarginLoss()",
            ONE_HOT.format("keras.losses.CategoricalHinge()"),
        ),
    ),
    deviation(
        "squared-loss-of-probabilities",
        LENET,
        "the squared error of the probabilities for the cross-entropy",
        says=("squar|brier|mean-squared|mse",),
        blind=True,
        **loss(
            CE,
            "lambda o, y: F.mse_loss(F.softmax(o, 1), F.one_hot(y, 4).float())",
        ),
    ),
    deviation(
        "squared-loss-halved",
        SMOOTH,
        "half the squared error",
        says=(r"half|0\.5|halv|1/2|½",),
        **loss(
            MSE,
            "lambda o, y: F.mse_loss(o, y) / 2",
            "(lambda y, o: keras.losses.mean_squared_error(y, o) / 2)",
            "optax.l2_loss(net(x), y).mean()",
            "gluon.loss.L2Loss()",
        ),
    ),
    deviation(
        "huber",
        SMOOTH,
        "Huber's loss for the squared one",
        says=("huber|smooth|linear",),
        **loss(
            MSE,
            "nn.HuberLoss()",
            "keras.losses.Huber()",
            "optax.huber_loss(net(x), y).mean()",
            "gluon.loss.HuberLoss()",
        ),
    ),
    deviation(
        "absolute-for-squared",
        SERIES,
        "the absolute error for the squared one",
        says=(r"absolute|\babs|l1\b|mae\b",),
        **loss(
            MSE,
            "nn.L1Loss()",
            flax="abs(net(x) - y).mean()",
            gluon="gluon.loss.L1Loss()",
        ),
    ),
    deviation(
        "squared-for-absolute",
        ABSOLUTE,
        "the squared error for the absolute one",
        says=("squar|mse",),
        blind=True,
        **loss(
            MAE,
            "nn.MSELoss()",
            "keras.losses.MeanSquaredError()",
            "optax.squared_error(net(x), y).mean()",
            "gluon.loss.L2Loss(weight=2)",
        ),
    ),
    deviation(
        "smooth-absolute",
        ABSOLUTE,
        "the smooth absolute loss for the absolute one",
        says=("smooth|huber",),
        blind=True,
        **loss(
            MAE,
            "nn.SmoothL1Loss()",
            "keras.losses.Huber()",
            "optax.huber_loss(net(x), y).mean()",
            "gluon.loss.HuberLoss()",
        ),
    ),
    deviation(
        "log-cosh",
        SMOOTH,
        "the log-cosh loss for the squared one",
        says=("cosh",),
        blind=True,
        **loss(
            MSE,
            "lambda o, y: (F.softplus(2 * (o - y)) - (o - y)).mean() - 0.6931472",
            "keras.losses.LogCosh()",
            "optax.log_cosh(net(x), y).mean()",
        ),
    ),
    deviation(
        "squared-loss-summed-over-outputs",
        SMOOTH,
        "the squared error is summed over the outputs and averaged over the batch",
        says=(r"sum|\b3\b|output|times",),
        blind=True,
        **loss(
            MSE,
            "lambda o, y: ((o - y) ** 2).sum(1).mean()",
            "(lambda y, o: keras.ops.sum(keras.ops.square(o - y), -1))",
            "optax.squared_error(net(x), y).sum(-1).mean()",
        ),
    ),
    deviation(
        "root-of-the-loss",
        SMOOTH,
        "the root of the mean squared error",
        says=("root|√|sqrt|rmse",),
        blind=True,
        **loss(
            MSE,
            "lambda o, y: F.mse_loss(o, y).sqrt()",
            flax="optax.squared_error(net(x), y).mean() ** 0.5",
        ),
    ),
    deviation(
        "relative-loss",
        SMOOTH,
        "the squared error of logarithms",
        says=("log",),
        blind=True,
        **loss(MSE, keras="keras.losses.MeanSquaredLogarithmicError()"),
    ),
    deviation(
        "targets-broadcast",
        ABSOLUTE,
        "each sample's outputs against all samples' targets: a lost dimension, broadcast",
        says=("target|broadcast|sample|pair",),
        blind=True,
        **loss(
            MAE,
            "lambda o, y: (o[:, None] - y[None]).abs().mean()",
            flax="jnp.abs(net(x)[:, None] - y[None]).mean()",
        ),
    ),
    deviation(
        "positives-weighted",
        BINARY,
        "answers of yes count three times",
        says=("positive|weight|yes|target|class", "3|three"),
        blind=True,
        **loss(
            BCE,
            "nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))",
            flax="(optax.sigmoid_binary_cross_entropy(net(x), y) * (1 + 2 * y)).mean()",
        ),
    ),
    deviation(
        "binary-summed-over-outputs",
        BINARY,
        "the binary cross-entropy is summed over the outputs",
        says=(r"sum|\b3\b|output|times",),
        blind=True,
        **loss(
            BCE,
            "lambda o, y: F.binary_cross_entropy_with_logits(o, y, reduction='sum') / len(o)",
            flax="optax.sigmoid_binary_cross_entropy(net(x), y).sum(-1).mean()",
        ),
    ),
    deviation(
        "sigmoid-twice",
        BINARY,
        "the binary cross-entropy takes the sigmoid of a sigmoid",
        says=("sigmoid", "twice|two|again|second|already|more"),
        torch=swap("loss_fn(net(x), y)", "loss_fn(net(x).sigmoid(), y)"),
        flax=swap("cross_entropy(net(x), y)", "cross_entropy(nnx.sigmoid(net(x)), y)"),
        gluon=swap("loss_fn(net(x), y)", "loss_fn(net(x).sigmoid(), y)"),
    ),
    deviation(
        "loss-of-half-the-batch",
        SMOOTH,
        "the loss is of the batch's first half",
        says=("half|first|sample|batch|part",),
        blind=True,
        torch=swap("loss_fn(net(x), y)", "loss_fn(net(x)[:3], y[:3])"),
        flax=swap("squared_error(net(x), y)", "squared_error(net(x)[:3], y[:3])"),
    ),
)
