"""The small workloads that mistakes are made in: five of tests/workloads and nine more.

Batches of 6 or 8 and small maps, so that a proof takes seconds. No tolerance was tuned on them.
"""

from __future__ import annotations

from pathlib import Path

from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    SGD,
    Adam,
    BatchNorm,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GlobalAvgPool2D,
    LeakyReLU,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    RMSprop,
    Sigmoid,
    SiLU,
    SimpleRNN,
    Softplus,
    Tanh,
    TimeDistributed,
    Workload,
)
from tensorstone.models.load import find
from tensorstone.models.recipe import Loss, Metric, Optimiser

FILES = Path(__file__).resolve().parents[2] / "tests/workloads"

RESIDUAL, DEPTHWISE, LOPSIDED, BIDIRECTIONAL, DENSE = (
    find(str(FILES / f"{name}.py"))
    for name in ("residual", "depthwise", "lopsided", "bidirectional_gru", "dense")
)


def recipe(
    optimiser: Optimiser,
    batch: int = 6,
    loss: Loss = "softmax-cross-entropy",
    metric: Metric = "accuracy",
) -> Recipe:
    return Recipe(loss, optimiser, batch, epochs=1, metric=metric)


POINTS = Data("random-points", samples=300)
IMAGES = Data("random-images", samples=300)

CLASSIFIER = Workload(
    name="classifier",
    title="A perceptron with dropout",
    model=Model(
        "Classifier",
        (12,),
        [Dense(16), ReLU(), Dropout(0.2), Dense(12), ReLU(), Dense(5)],
    ),
    recipe=recipe(Adam(rate=1e-3), batch=8),
    data=POINTS,
)

SMOOTH = Workload(
    name="smooth",
    title="A perceptron of smooth activations under the squared loss",
    model=Model(
        "Smooth",
        (8,),
        [Dense(10), GELU(), Dense(9), SiLU(), Dense(8), Softplus(), Dense(3)],
    ),
    recipe=recipe(Momentum(rate=0.02, momentum=0.9), loss="mean-squared", metric="r2"),
    data=POINTS,
)

ABSOLUTE = Workload(
    name="absolute",
    title="A perceptron under the absolute loss",
    model=Model(
        "Absolute",
        (8,),
        [Dense(10), Tanh(), Dense(9), LeakyReLU(0.1), Dense(7), Sigmoid(), Dense(2)],
    ),
    recipe=recipe(SGD(rate=0.05), loss="absolute", metric="mae"),
    data=POINTS,
)

BINARY = Workload(
    name="binary",
    title="A perceptron with three answers of yes or no",
    model=Model("Binary", (8,), [Dense(10), ReLU(), Dense(3)]),
    recipe=recipe(Adam(rate=1e-3), loss="binary-cross-entropy"),
    data=POINTS,
)

LENET = Workload(
    name="little-lenet",
    title="Convolutions, pools and dense layers under plain gradient descent",
    model=Model(
        "LittleLeNet",
        (3, 8, 8),
        [
            Conv2D(5, kernel=3, padding=1),
            ReLU(),
            MaxPool2D(2),
            Conv2D(6, kernel=3),
            Tanh(),
            Flatten(),
            Dense(10),
            ReLU(),
            Dense(4),
        ],
    ),
    recipe=recipe(SGD(rate=0.05)),
    data=IMAGES,
)

ODD = Workload(
    name="odd-sizes",
    title="Pools over maps of odd size, one of them over negative values",
    model=Model(
        "OddSizes",
        (3, 9, 9),
        [
            Conv2D(5, kernel=3, padding=1),
            BatchNorm(),
            MaxPool2D(3, stride=2, padding=1),
            Tanh(),
            Conv2D(6, kernel=3, padding=1),
            ReLU(),
            MaxPool2D(2),
            GlobalAvgPool2D(),
            Dense(4),
        ],
    ),
    recipe=recipe(Adam(rate=1e-3), batch=8),
    data=IMAGES,
)

DECAYING = Workload(
    name="decaying",
    title="A perceptron under RMSprop with a falling rate",
    model=Model("Decaying", (8,), [Dense(10), ReLU(), Dense(4)]),
    recipe=recipe(RMSprop(rate=1e-3, rho=0.9, epsilon=1e-7, decay=0.01)),
    data=POINTS,
)

NESTEROV = Workload(
    name="nesterov",
    title="A perceptron under Nesterov's momentum",
    model=Model("Perceptron", (8,), [Dense(10), ReLU(), Dense(4)]),
    recipe=recipe(Momentum(rate=0.02, momentum=0.9, nesterov=True)),
    data=POINTS,
)

TEXTS = Workload(
    name="texts",
    title="Two LSTM layers over tokens",
    model=Model(
        "Reader",
        (6,),
        [Embedding(30, 6), LSTM(5, biases=2, sequence=True), LSTM(4, biases=2), Dense(3)],
    ),
    recipe=recipe(Adam(rate=1e-3)),
    data=Data("random-texts", samples=300, values="tokens", vocabulary=30),
)

# Keras's and Flax's LSTM have one bias for each gate.
TEXTS_ONE_BIAS = Workload(
    name="texts-one-bias",
    title="Two LSTM layers of one bias over tokens",
    model=Model(
        "Reader",
        (6,),
        [Embedding(30, 6), LSTM(5, sequence=True), LSTM(4), Dense(3)],
    ),
    recipe=recipe(Adam(rate=1e-3)),
    data=Data("random-texts", samples=300, values="tokens", vocabulary=30),
)

SERIES = Workload(
    name="series",
    title="A recurrent layer and a GRU over a series",
    model=Model(
        "Series",
        (5, 3),
        [SimpleRNN(6, biases=2, sequence=True), TimeDistributed(5), GRU(4, biases=2), Dense(2)],
    ),
    recipe=recipe(Adam(rate=1e-3), loss="mean-squared", metric="r2"),
    data=Data("random-series", samples=300),
)

SERIES_ONE_BIAS = Workload(
    name="series-one-bias",
    title="A recurrent layer and an LSTM over a series",
    model=Model(
        "Series",
        (5, 3),
        [SimpleRNN(6, sequence=True), TimeDistributed(5), LSTM(4), Dense(2)],
    ),
    recipe=recipe(Adam(rate=1e-3), loss="mean-squared", metric="r2"),
    data=Data("random-series", samples=300),
)

NETS = {
    net.name: net
    for net in (
        RESIDUAL,
        DEPTHWISE,
        LOPSIDED,
        BIDIRECTIONAL,
        DENSE,
        CLASSIFIER,
        SMOOTH,
        ABSOLUTE,
        BINARY,
        LENET,
        ODD,
        DECAYING,
        NESTEROV,
        TEXTS,
        TEXTS_ONE_BIAS,
        SERIES,
        SERIES_ONE_BIAS,
    )
}
