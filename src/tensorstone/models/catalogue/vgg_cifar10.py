"""A VGG for CIFAR-10.

Published (R, rysia): convolutions of 64, 64, 128, 128, 3 × 256 and 3 × 512 channels in four
stages, each ended by pooling, then 2048 → 512 → 256 → 10; batch 128, Adam with rate 0.01.
Left out: kernel sizes and padding (3×3 padded by 1 here, which gives the published count),
activations (ReLU here), epochs (10 here), the range of the pixels (0 to 1 here), initial weights
(He here: ten layers of ReLU under Xavier leave little of the signal).
"""

from tensorstone.models import (
    Adam,
    Conv2D,
    Data,
    Dense,
    Flatten,
    Init,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    Workload,
)
from tensorstone.models.layers import Layer


def stage(*channels: int) -> list[Layer]:
    """Convolutions of these widths, then pooling."""
    layers: list[Layer] = []
    for count in channels:
        layers += [Conv2D(count, kernel=3, padding=1), ReLU()]
    return [*layers, MaxPool2D(2)]


vgg = Model(
    "VGG",
    (3, 32, 32),
    [
        *stage(64, 64),
        *stage(128, 128),
        *stage(256, 256, 256),
        *stage(512, 512, 512),
        Flatten(),
        Dense(512),
        ReLU(),
        Dense(256),
        ReLU(),
        Dense(10),
    ],
)

workload = Workload(
    name="vgg-cifar10",
    title="VGG on CIFAR-10",
    model=vgg,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=0.01),
        batch=128,
        epochs=10,
        metric="accuracy",
    ),
    data=Data("cifar10", samples=50_000, values="uniform", low=0.0, high=1.0),
    init=Init("he"),
    parameters=8_818_250,
    source="R rysia: declarative blueprints on MXNet, TensorFlow and PyTorch",
)
