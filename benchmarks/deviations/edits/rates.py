"""Learning rates: other ones, of some weights only, or changing with time."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap
from benchmarks.deviations.nets import CLASSIFIER, DECAYING, LENET, RESIDUAL

SGD, KERAS_SGD, FLAX_SGD = (
    "torch.optim.SGD(net.parameters(), lr=0.05)",
    "learning_rate=0.05",
    "optax.sgd(0.05)",
)
STEP = "        optimizer.step()\n"
SCHEDULE = "rate|schedul|decay|fall|shrink|step"


def groups(chosen: str, rate: str) -> Edit:
    """In PyTorch, another rate for the parameters `p`, named `n`, that are chosen."""
    first = f'{{"params": [p for n, p in net.named_parameters() if {chosen}], "lr": {rate}}}'
    rest = f'{{"params": [p for n, p in net.named_parameters() if not ({chosen})]}}'
    return swap("net.parameters(), lr=0.05", f"[{first}, {rest}], lr=0.05")


def schedule(factor: str) -> Edit:
    """The same where `train` has plain SGD put in the optimiser's place: then there is no schedule."""
    return swap(
        SGD,
        f"{SGD}\n    optimizer.schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda t: {factor})",
    ) + swap(
        STEP,
        STEP
        + "        if hasattr(optimizer, 'schedule'):\n            optimizer.schedule.step()\n",
    )


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "rate-other",
        LENET,
        "a learning rate of 0.01 for 0.05",
        says=("rate|gradient|update|step", r"0\.01\b|0\.2\b|fifth|1/5"),
        torch=swap("lr=0.05", "lr=0.01"),
        keras=swap("learning_rate=0.05", "learning_rate=0.01"),
        flax=swap(FLAX_SGD, "optax.sgd(0.01)"),
        gluon=swap('"learning_rate": 0.05', '"learning_rate": 0.01'),
    ),
    deviation(
        "rate-ten-times",
        CLASSIFIER,
        "Adam's learning rate is ten times as large",
        says=("rate|update|step", r"0\.01\b|1e-0?2|10|ten"),
        torch=swap("lr=1e-3", "lr=1e-2"),
        keras=swap("learning_rate=1e-3", "learning_rate=1e-2"),
        flax=swap("optax.adam(1e-3)", "optax.adam(1e-2)"),
        gluon=swap('"learning_rate": 1e-3', '"learning_rate": 1e-2'),
    ),
    deviation(
        "rate-of-the-head",
        LENET,
        "the last layer learns ten times as fast",
        where="fc2",
        says=("rate|gradient|update|faster", r"\b10\b|ten|0\.5\b"),
        torch=groups("n.startswith('fc2')", "0.5"),
    ),
    deviation(
        "rate-of-biases",
        LENET,
        "biases learn twice as fast, as in Caffe",
        where="bias",
        says=("rate|gradient|update|faster|fast", r"\b2\b|twice|doubl|0\.1\b"),
        torch=groups("n.endswith('bias')", "0.1"),
        gluon=swap(
            "    return net, loss_fn, trainer",
            '    net.collect_params(".*bias").setattr("lr_mult", 2.0)\n    return net, loss_fn, trainer',
        ),
        flax=swap(
            FLAX_SGD,
            "optax.chain(optax.stateless(lambda g, _: jax.tree.map(lambda v: v * (1 + (v.ndim == 1)), g)), optax.sgd(0.05))",
        )
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "rate-falls",
        LENET,
        "the rate falls by 0.99 at each step",
        says=(SCHEDULE, r"0\.99|1 ?%|falls|exponential"),
        torch=schedule("0.99**t"),
        keras=swap(
            KERAS_SGD, "learning_rate=keras.optimizers.schedules.ExponentialDecay(0.05, 1, 0.99)"
        ),
        flax=swap(FLAX_SGD, "optax.sgd(optax.exponential_decay(0.05, 1, 0.99))"),
        gluon=swap(
            '"learning_rate": 0.05',
            '"learning_rate": 0.05, "lr_scheduler": mx.lr_scheduler.FactorScheduler(1, 0.99, base_lr=0.05)',
        ),
    ),
    deviation(
        "rate-warms-up",
        LENET,
        "the rate rises over its first ten steps: a warm-up",
        says=("warm|rise|grow|increas|first steps|smaller at first",),
        torch=schedule("min(1.0, (t + 1) / 10)"),
        flax=swap(FLAX_SGD, "optax.sgd(lambda t: 0.05 * (t + 1).clip(0, 10) / 10)"),
    ),
    deviation(
        "rate-halved-at-once",
        LENET,
        "the rate is halved after the second step",
        says=(SCHEDULE, "half|halv|0\\.5|0\\.025|second|two|after"),
        blind=True,
        torch=schedule("1.0 if t < 2 else 0.5"),
        keras=swap(
            KERAS_SGD,
            "learning_rate=keras.optimizers.schedules.PiecewiseConstantDecay([1], [0.05, 0.025])",
        ),
        flax=swap(FLAX_SGD, "optax.sgd(optax.piecewise_constant_schedule(0.05, {2: 0.5}))"),
    ),
    deviation(
        "rate-of-the-root",
        LENET,
        "the rate falls with the root of the step's number",
        says=(SCHEDULE, "root|√|falls|step|sqrt|decay"),
        blind=True,
        torch=schedule("(t + 1) ** -0.5"),
        flax=swap(FLAX_SGD, "optax.sgd(lambda t: 0.05 / (t + 1.0) ** 0.5)"),
    ),
    deviation(
        "rate-restarts",
        LENET,
        "a cosine that restarts every four steps",
        says=("cosine|cycl|period|restart|schedul|rate",),
        blind=True,
        torch=schedule("(1 + np.cos(np.pi * (t % 4) / 4)) / 2"),
        flax=swap(FLAX_SGD, "optax.sgd(lambda t: 0.025 * (1 + jax.numpy.cos(np.pi * (t % 4) / 4)))")
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "decay-missing",
        DECAYING,
        "the rate does not fall",
        says=(
            "decay|fall|rate|schedul",
            "missing|no |not|without|constant|0\\.01|never|left out|decay 0",
        ),
        blind=True,
        torch=swap("        scheduler.step()\n", ""),
        keras=swap("RMSprop(learning_rate=rate)", "RMSprop(learning_rate=1e-3)"),
        flax=swap("optax.rmsprop(rate,", "optax.rmsprop(1e-3,"),
        gluon=swap('"lr_scheduler": InverseDecay(1e-3)', '"learning_rate": 1e-3'),
    ),
    deviation(
        "decay-one-early",
        DECAYING,
        "the rate falls from the first update on, one too early",
        says=("decay|fall|rate|schedul", "early|late|count|one|step|begin|first|shift"),
        blind=True,
        torch=swap("1 / (1 + 0.01 * t)", "1 / (1 + 0.01 * (t + 1))"),
        flax=swap("1e-3 / (1 + 0.01 * t)", "1e-3 / (1 + 0.01 * (t + 1))"),
        gluon=swap("(num_update - 1)", "num_update"),
    ),
    deviation(
        "decay-exponential",
        DECAYING,
        "the rate falls by 0.99 at each step, not by 1 / (1 + 0.01 t)",
        says=("decay|fall|rate|schedul", "exponential|0\\.99|formula|power"),
        blind=True,
        torch=swap("1 / (1 + 0.01 * t)", "0.99**t"),
        keras=swap("InverseTimeDecay(", "ExponentialDecay(")
        + swap("decay_rate=0.01", "decay_rate=0.99"),
        flax=swap("1e-3 / (1 + 0.01 * t)", "1e-3 * 0.99**t"),
    ),
    deviation(
        "rate-of-one-array",
        RESIDUAL,
        "gammas learn at a tenth of the rate",
        where="gamma|bn",
        says=("rate|gradient|update|slow", r"0\.1\b|tenth|10|0\.005"),
        blind=True,
        torch=groups("'bn' in n and n.endswith('weight')", "0.005"),
        gluon=swap(
            "    return net, loss_fn, trainer",
            '    net.collect_params(".*gamma").setattr("lr_mult", 0.1)\n    return net, loss_fn, trainer',
        ),
    ),
)
