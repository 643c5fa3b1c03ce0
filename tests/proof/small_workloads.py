"""Small workloads which between them leave room for every deviation of the catalogue."""

from __future__ import annotations

from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
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
    Tanh,
    TimeDistributed,
    Workload,
)
from tensorstone.models.recipe import Loss, Metric, Optimiser
from tensorstone.models.structure import Part


def _workload(
    name: str, inputs: tuple[int, ...], layers: list[Part], loss: Loss, optimiser: Optimiser
) -> Workload:
    metric: Metric = "accuracy" if "entropy" in loss else "mse"
    recipe = Recipe(loss, optimiser, batch=4, epochs=1, metric=metric)
    model = Model("Net", inputs, layers)
    data = Data("random", samples=64)
    if model.vocabulary:
        data = Data("random", samples=64, values="tokens", vocabulary=model.vocabulary)
    return Workload(name, name, model, recipe, data)


AVERAGING = _workload(
    "averaging",
    (2, 10, 10),
    [
        Conv2D(4, 3, padding=1),
        Tanh(),
        AvgPool2D(3, 2, padding=1),
        Conv2D(6, 3, padding=((1, 0), (0, 1))),
        LeakyReLU(0.1),
        GlobalAvgPool2D(),
        Dense(5),
    ],
    "softmax-cross-entropy",
    Momentum(0.1),
)
MAXING = _workload(
    "maxing",
    (2, 12, 12),
    [
        Conv2D(4, 3, stride=2, padding=1),
        ReLU(),
        MaxPool2D(2),
        AvgPool2D(2, 1, padding=1, count_padding=True),
        Flatten(),
        Dense(8),
        Sigmoid(),
        Dense(3),
    ],
    "half-squared",
    RMSprop(0.01),
)
NORMED = _workload(
    "normed",
    (2, 8, 8),
    [
        Conv2D(4, 3),
        BatchNorm(),
        ReLU(),
        Concat([Conv2D(3, 1)], [Conv2D(3, 3, padding=1), BatchNorm(0.8, 1e-3), Tanh()]),
        Flatten(),
        Dense(6),
        BatchNorm(),
        ReLU(),
        Dense(4),
    ],
    "softmax-cross-entropy",
    Adam(0.01),
)
ADDING = _workload(
    "adding",
    (6,),
    [Dense(6), ReLU(), Add([Dense(6), Tanh()], []), Dense(3)],
    "softmax-cross-entropy",
    SGD(0.1),
)
VECTORS = _workload(
    "vectors",
    (7,),
    [Dense(9), ReLU(), Dropout(0.4), Dense(6), Tanh(), Dense(3)],
    "mean-squared",
    Momentum(0.1, nesterov=True),
)
PLAIN = _workload("plain", (5,), [Dense(8), Sigmoid(), Dense(2)], "binary-cross-entropy", SGD(0.5))
TEXTS = _workload(
    "texts",
    (9,),
    [
        Embedding(40, 5),
        LSTM(6, sequence=True),
        GRU(4, biases=2),
        Dense(3),
    ],
    "softmax-cross-entropy",
    Adam(0.01),
)
BOTH_WAYS = _workload(
    "both-ways",
    (6, 3),
    [
        LSTM(4, bidirectional=True, sequence=True),
        FirstLast(),
        Dense(2),
    ],
    "mean-squared",
    Momentum(0.1),
)
TURNING = _workload(
    "turning",
    (5, 3),
    [
        SimpleRNN(4, sequence=True, biases=2),
        TimeDistributed(4),
        Tanh(),
        GRU(5, bidirectional=True),
        Dense(2),
    ],
    "half-squared",
    RMSprop(0.01),
)
RESETTING = _workload(
    "resetting",
    (6, 2),
    [GRU(4, reset_after=False, sequence=True), LastStep(), Dense(2)],
    "mean-squared",
    SGD(0.1),
)
ONE_STEP = _workload(
    "one-step", (1, 7), [LSTM(5), Dense(1), Dropout(0.01), Dense(1)], "mean-squared", Adam(0.01)
)

FEEDFORWARD = (AVERAGING, MAXING, NORMED, VECTORS, PLAIN)
SEQUENCES = (TEXTS, BOTH_WAYS, TURNING, RESETTING, ONE_STEP)
SMALL = (*FEEDFORWARD, *SEQUENCES)
DROPPED_MAPS = _workload(
    "dropped-maps",
    (2, 6, 6),
    [Conv2D(3, 3), Dropout(0.25), ReLU(), Flatten(), Dense(4)],
    "softmax-cross-entropy",
    SGD(0.1),
)
