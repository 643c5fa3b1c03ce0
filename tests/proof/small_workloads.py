"""Small workloads which between them leave room for every deviation of the catalogue."""

from __future__ import annotations

from tensorstone.models import (
    SGD,
    Adam,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
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
    Tanh,
    Workload,
)
from tensorstone.models.recipe import Loss, Metric, Optimiser
from tensorstone.models.structure import Part


def _workload(
    name: str, inputs: tuple[int, ...], layers: list[Part], loss: Loss, optimiser: Optimiser
) -> Workload:
    metric: Metric = "accuracy" if "entropy" in loss else "mse"
    recipe = Recipe(loss, optimiser, batch=4, epochs=1, metric=metric)
    return Workload(name, name, Model("Net", inputs, layers), recipe, Data("random", samples=64))


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
VECTORS = _workload(
    "vectors",
    (7,),
    [Dense(9), ReLU(), Dropout(0.4), Dense(6), Tanh(), Dense(3)],
    "mean-squared",
    Momentum(0.1, nesterov=True),
)
PLAIN = _workload("plain", (5,), [Dense(8), Sigmoid(), Dense(2)], "binary-cross-entropy", SGD(0.5))

SMALL = (AVERAGING, MAXING, NORMED, VECTORS, PLAIN)
DROPPED_MAPS = _workload(
    "dropped-maps",
    (2, 6, 6),
    [Conv2D(3, 3), Dropout(0.25), ReLU(), Flatten(), Dense(4)],
    "softmax-cross-entropy",
    SGD(0.1),
)
