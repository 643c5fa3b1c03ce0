"""Convolutions and pools that pad one side more than the other, trained with Adam."""

from tensorstone.models import (
    Adam,
    AvgPool2D,
    Conv2D,
    Data,
    Dense,
    Flatten,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    Workload,
)

workload = Workload(
    name="lopsided",
    title="A small network with lopsided paddings on random images",
    model=Model(
        "Lopsided",
        (3, 9, 9),
        [
            Conv2D(6, kernel=3, stride=2, padding=((0, 1), (1, 2))),
            ReLU(),
            MaxPool2D(2, stride=1, padding=((0, 1), (0, 1))),
            Conv2D(5, kernel=(3, 2), padding=((2, 0), (1, 0))),
            ReLU(),
            AvgPool2D(3, stride=2, padding=1),
            Flatten(),
            Dense(4),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=1e-3),
        batch=6,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=300),
)
