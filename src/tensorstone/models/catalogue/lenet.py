"""LeNet on MNIST.

Published (P2, MattePalte): two convolutions (the second 3×3, not 5×5), average pooling, raw pixels
from 0 to 255, 48,000 training images, batch 200, Adam with rate 1e-3, 5, 10 and 15 epochs (15 here:
after 5 it is still learning).
Left out: initial weights (the frameworks' own there, and they differed; Xavier here).
"""

from tensorstone.models import (
    Adam,
    AvgPool2D,
    Conv2D,
    Data,
    Dense,
    Flatten,
    Model,
    Recipe,
    ReLU,
    Workload,
)

lenet = Model(
    "LeNet",
    (1, 28, 28),
    [
        Conv2D(6, kernel=5),
        ReLU(),
        AvgPool2D(2),
        Conv2D(16, kernel=3),
        ReLU(),
        AvgPool2D(2),
        Flatten(),
        Dense(120),
        ReLU(),
        Dense(84),
        ReLU(),
        Dense(10),
    ],
)

workload = Workload(
    name="lenet",
    title="LeNet on MNIST",
    model=lenet,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=1e-3, beta1=0.9, beta2=0.999),
        batch=200,
        epochs=15,
        metric="accuracy",
    ),
    data=Data("mnist", samples=48_000, values="uniform", low=0.0, high=255.0),
    parameters=60_170,
    source="P2 MattePalte: TensorFlow 2.1 against MXNet 1.5.1",
)
