"""A small Keras network on CIFAR-10.

Published (P2-D, MattePalte; TensorFlow only, with and without XLA): two pairs of convolutions, the
first of each padded ("same"), the second not ("valid"); RMSprop with rate 1e-4, decay 1e-6, batch
256.
Left out: kernel sizes (3×3 here, which gives the published count), the activations of the
convolutions (ReLU here), epochs (10 here), the range of the pixels (0 to 1 here), RMSprop's rho
and epsilon (Keras's 0.9 and 1e-7 here).
"""

from tensorstone.models import (
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    RMSprop,
    Workload,
)
from tensorstone.models.layers import Layer


def pair(channels: int) -> list[Layer]:
    """A padded and an unpadded convolution, then pooling."""
    return [
        Conv2D(channels, kernel=3, padding=1),
        ReLU(),
        Conv2D(channels, kernel=3),
        ReLU(),
        MaxPool2D(2),
        Dropout(0.25),
    ]


workload = Workload(
    name="keras-cnn",
    title="A small Keras CNN on CIFAR-10",
    model=Model(
        "KerasCNN",
        (3, 32, 32),
        [*pair(32), *pair(64), Flatten(), Dense(512), ReLU(), Dropout(0.5), Dense(10)],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=RMSprop(rate=1e-4, rho=0.9, epsilon=1e-7, decay=1e-6),
        batch=256,
        epochs=10,
        metric="accuracy",
    ),
    data=Data("cifar10", samples=50_000, values="uniform", low=0.0, high=1.0),
    parameters=1_250_858,
    source="P2-D MattePalte: TensorFlow 2.1 with and without XLA",
)
