"""The Rosetta Stone's convolutional network on CIFAR-10.

Published (P3, ilkarman): every convolution 3×3 padded by 1; the second ReLU of each pair stands
*after* the pooling; pixels divided by 255, batch 64 (781 full ones), 10 epochs, momentum 0.9
without unit gain, rate 0.01.
Left out: nothing that changes the network; initial weights varied by framework (Xavier here).
"""

from tensorstone.models import (
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    Workload,
)
from tensorstone.models.layers import Layer


def pair(channels: int) -> list[Layer]:
    """Two convolutions, pooled before the second ReLU."""
    return [
        Conv2D(channels, kernel=3, padding=1),
        ReLU(),
        Conv2D(channels, kernel=3, padding=1),
        MaxPool2D(2),
        ReLU(),
        Dropout(0.25),
    ]


workload = Workload(
    name="cnn-cifar10",
    title="The Rosetta Stone's CNN on CIFAR-10",
    model=Model(
        "CNN",
        (3, 32, 32),
        [*pair(50), *pair(100), Flatten(), Dense(512), ReLU(), Dropout(0.5), Dense(10)],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Momentum(rate=0.01, momentum=0.9),
        batch=64,
        epochs=10,
        metric="accuracy",
    ),
    data=Data("cifar10", samples=50_000, values="uniform", low=0.0, high=1.0),
    parameters=3_441_592,
    source="P3 ilkarman: one CNN in eleven frameworks",
)
