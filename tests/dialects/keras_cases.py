"""Small models of everything Keras's words and tf.layers can say, for the rooms that share them."""

from __future__ import annotations

from recurrent_cases import CASES, VOCABULARY
from recurrent_cases import workload as over_sequences

from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    Adam,
    Add,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Embedding,
    FirstLast,
    Flatten,
    GlobalAvgPool2D,
    LastStep,
    LeakyReLU,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    RMSprop,
    Sigmoid,
    SimpleRNN,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    TimeDistributed,
    Workload,
    block,
)
from tensorstone.models.recipe import Optimiser
from tensorstone.models.structure import Path

LOPSIDED = ((0, 1), (0, 1))


def workload(
    inputs: tuple[int, ...],
    *layers: Path,
    loss: str = "softmax-cross-entropy",
    optimiser: Optimiser | None = None,
) -> Workload:
    """Layers on maps or vectors."""
    metric = "accuracy" if "entropy" in loss else "mse"
    return Workload(
        "case",
        "A case",
        Model("Net", inputs, list(layers)),
        Recipe(loss, optimiser or Adam(), batch=4, epochs=1, metric=metric),  # type: ignore[arg-type]
        Data("some", samples=64),
    )


@block
def normal(width: int) -> list[Path]:
    """Its layers must be told when they are trained."""
    return [Add([Conv2D(width, 3, padding=1), BatchNorm(0.8), Dropout(0.3)], []), ReLU()]


FEED_FORWARD = {
    "windows": workload(
        (4, 16, 15),
        Conv2D(6, (3, 2), stride=(2, 1), padding=((1, 0), (0, 1)), groups=2, bias=False),
        LeakyReLU(0.1),
        Conv2D(4, 3, padding=1, groups=2),
        Tanh(),
        MaxPool2D(3, stride=2, padding=1),
        AvgPool2D(2, stride=1, padding=LOPSIDED),
        AvgPool2D((4, 3), stride=1, padding=((1, 2), 1)),
        Conv2D(4, 2, padding=LOPSIDED),
        AvgPool2D(3, stride=2, padding=1),
        AvgPool2D(3, stride=1, padding=1, count_padding=True),
        AvgPool2D(3, stride=1, padding=1),
        Flatten(),
        Dense(3),
        loss="mean-squared",
        optimiser=Momentum(0.05, 0.9, nesterov=True),
    ),
    "activations": workload(
        (6,),
        *(Dense(8), Softsign(), BatchNorm(), GELU(), Dense(8, bias=False), Softplus()),
        *(Dense(6), Tanh(), Dense(5), Sigmoid(), Dense(4), Softmax()),
        loss="half-squared",
        optimiser=RMSprop(0.01, decay=0.1),
    ),
    "blocks": workload(
        (3, 8, 8),
        normal(3),
        normal(3),
        Concat([Conv2D(2, 1)], [MaxPool2D(2, stride=1, padding=LOPSIDED)]),
        GlobalAvgPool2D(),
        Dense(2),
        loss="absolute",
        optimiser=Momentum(0.05, 0.9),
    ),
    "a map put out": workload(
        (2, 5, 5), Conv2D(2, 3), GELU(), Flatten(), loss="binary-cross-entropy"
    ),
}

# Their layers have the biases they have: what of the cases for all they can say, and their own.
RECURRENT = {
    "stacked": CASES["stacked"],
    "in blocks": CASES["in blocks"],
    "joined": over_sequences(
        (6, 4),
        SimpleRNN(2, bidirectional=True, sequence=True),
        Dropout(0.3),
        Add([GRU(4, reset_after=False, sequence=True), Tanh()], []),
        Concat(
            GRU(3, biases=2, bidirectional=True),
            LSTM(2),
            FirstLast(),
            [LastStep(), ReLU()],
            [TimeDistributed(2), Flatten(), Dense(3)],
        ),
        Dense(3),
        optimiser=Momentum(0.05, 0.9),
    ),
    "every step": over_sequences(
        (5,),
        Embedding(VOCABULARY, 4),
        LSTM(4, bidirectional=True, sequence=True),
        TimeDistributed(2, bias=False),
        loss="mean-squared",
        optimiser=RMSprop(0.01),
    ),
}
