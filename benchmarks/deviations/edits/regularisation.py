"""Penalties and decays that the recipe has not."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, deviation, swap
from benchmarks.deviations.nets import CLASSIFIER, LENET, RESIDUAL, SMOOTH

PENALTY = "loss = loss_fn(net(x), y)"
SGD, FLAX_SGD, KERAS_SGD = (
    "net.parameters(), lr=0.05",
    "optax.sgd(0.05)",
    "keras.optimizers.SGD(learning_rate=0.05",
)
ADAM = "torch.optim.Adam(net.parameters(), lr=1e-3)"
KERAS_ADAM = "keras.optimizers.Adam(learning_rate=1e-3, epsilon=1e-8)"
DECAY = "decay|penalt|l2|shrink|regulari|weight"


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "l2-in-the-loss",
        LENET,
        "0.005 times the sum of squared weights is added to the loss",
        says=("decay|penalt|l2|regulari|weight", r"0\.01|0\.005|5e-0?3|1e-0?2"),
        torch=swap(PENALTY, PENALTY + " + 0.005 * sum((p**2).sum() for p in net.parameters())"),
        gluon=swap(
            PENALTY,
            PENALTY + "\n            weights = net.collect_params().values()"
            "\n            loss = loss + 0.005 * sum((p.data() ** 2).sum() for p in weights)",
        ),
        flax=swap(
            "labels(net(x), y).mean()",
            "labels(net(x), y).mean() + 0.005 * sum((p**2).sum() for p in jax.tree.leaves(nnx.state(net, nnx.Param)))",
        )
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "l1-in-the-loss",
        LENET,
        "0.01 times the sum of weights' sizes is added to the loss",
        says=("l1|absolute|sign|penalt|sparse|lasso",),
        blind=True,
        torch=swap(PENALTY, PENALTY + " + 0.01 * sum(p.abs().sum() for p in net.parameters())"),
    ),
    deviation(
        "weight-decay",
        LENET,
        "a weight decay of 0.01 in SGD",
        says=("decay|penalt|l2|regulari|shrink", r"0\.01|1e-0?2"),
        torch=swap(SGD, SGD + ", weight_decay=0.01"),
        keras=swap(KERAS_SGD, KERAS_SGD + ", weight_decay=0.01"),
        flax=swap(FLAX_SGD, f"optax.chain(optax.add_decayed_weights(0.01), {FLAX_SGD})"),
        gluon=swap('"learning_rate": 0.05', '"learning_rate": 0.05, "wd": 0.01'),
    ),
    deviation(
        "weight-decay-adam",
        CLASSIFIER,
        "a weight decay of 0.01 in Adam's gradients",
        says=("decay|penalt|l2|regulari|shrink", r"0\.01|1e-0?2"),
        torch=swap(ADAM, ADAM[:-1] + ", weight_decay=0.01)"),
        gluon=swap('"learning_rate": 1e-3', '"learning_rate": 1e-3, "wd": 0.01'),
        flax=swap(
            "optax.adam(1e-3)", "optax.chain(optax.add_decayed_weights(0.01), optax.adam(1e-3))"
        ),
    ),
    deviation(
        "decoupled-decay",
        CLASSIFIER,
        "AdamW with a decay of 0.01 for Adam",
        says=("decoupl|adamw|decay|shrink", r"0\.01|1e-0?2|1e-0?5"),
        torch=swap(
            "torch.optim.Adam(net.parameters(), lr=1e-3)",
            "torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01)",
        ),
        keras=swap(
            KERAS_ADAM,
            "keras.optimizers.AdamW(learning_rate=1e-3, epsilon=1e-8, weight_decay=0.01)",
        ),
        flax=swap("optax.adam(1e-3)", "optax.adamw(1e-3, weight_decay=0.01)"),
    ),
    deviation(
        "decay-of-weights-only",
        LENET,
        "a weight decay of 0.01 that spares biases",
        says=("decay|penalt|l2|regulari|shrink", r"0\.01|1e-0?2"),
        where="weight|kernel|matri|not bias|bias|conv1",
        torch=swap(
            "torch.optim.SGD(net.parameters(), lr=0.05)",
            'torch.optim.SGD([{"params": [p for p in net.parameters() if p.ndim > 1], "weight_decay": 0.01},'
            ' {"params": [p for p in net.parameters() if p.ndim == 1]}], lr=0.05)',
        ),
        flax=swap(
            FLAX_SGD,
            f"optax.chain(optax.add_decayed_weights(0.01, lambda t: jax.tree.map(lambda p: p.ndim > 1, t)), {FLAX_SGD})",
        )
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "decay-of-one-layer",
        LENET,
        "the first dense layer has a kernel_regularizer of 0.01",
        where="fc1",
        says=("decay|penalt|l2|regulari|shrink", r"0\.0[12]|[12]e-0?2"),
        blind=True,
        keras=swap(
            'layers.Dense(10, activation="relu")',
            'layers.Dense(10, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01))',
        ),
        torch=swap(PENALTY, PENALTY + " + 0.01 * (net.fc1.weight**2).sum()"),
    ),
    deviation(
        "decay-of-batch-norm-only",
        RESIDUAL,
        "gamma and beta decay by 0.05 and nothing else does",
        where="gamma|beta|bn",
        says=("decay|penalt|l2|regulari|shrink",),
        blind=True,
        torch=swap(
            "torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)",
            'torch.optim.SGD([{"params": [p for n, p in net.named_parameters() if "bn" in n], "weight_decay": 0.05},'
            ' {"params": [p for n, p in net.named_parameters() if "bn" not in n]}], lr=0.05, momentum=0.9)',
        ),
    ),
    deviation(
        "activity-penalty",
        SMOOTH,
        "the outputs' squares are added to the loss, times 0.1",
        says=("penalt|activit|output|loss",),
        blind=True,
        torch=swap(PENALTY, "out = net(x)\n        loss = loss_fn(out, y) + 0.1 * (out**2).mean()"),
        keras=swap(
            "layers.Dense(3)", "layers.Dense(3, activity_regularizer=keras.regularizers.L2(0.1))"
        ),
        flax=swap(
            "squared_error(net(x), y).mean()",
            "squared_error(net(x), y).mean() + 0.1 * (net(x) ** 2).mean()",
        ),
    ),
    deviation(
        "weights-clipped",
        LENET,
        "weights are clipped to ±0.2 after every update, as a Wasserstein critic's",
        says=("clip|limit|cap|between|at most", r"0\.2"),
        blind=True,
        torch=swap(
            "        optimizer.step()\n",
            "        optimizer.step()\n        with torch.no_grad():\n"
            "            for p in net.parameters():\n                p.clamp_(-0.2, 0.2)\n",
        ),
    ),
    deviation(
        "rows-kept-short",
        CLASSIFIER,
        "rows of the second dense layer are kept below a length of 0.5: a max-norm constraint",
        where="fc2",
        says=("norm|length|constraint|limit|clip|short",),
        blind=True,
        torch=swap(
            "        optimizer.step()\n",
            "        optimizer.step()\n        with torch.no_grad():\n"
            "            net.fc2.weight.copy_(net.fc2.weight.renorm(2, 0, 0.5))\n",
        ),
        keras=swap(
            'layers.Dense(12, activation="relu")',
            'layers.Dense(12, activation="relu", kernel_constraint=keras.constraints.MaxNorm(0.5))',
        ),
    ),
)
