"""AlexNet with ten classes, as one tower, without local response normalisation or dropout.

Published (P1, lightingghost): forward and backward of 100 batches of 128 images drawn evenly
from −1 to 1, with no optimiser step. Pooling rounds sizes down.
Left out: an optimiser (SGD with rate 0.01 here, so that a step is a whole step), the loss (softmax
cross-entropy here), initial weights (He here).
"""

from tensorstone.models import (
    SGD,
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

alexnet = Model(
    "AlexNet",
    (3, 224, 224),
    [
        Conv2D(64, kernel=11, stride=4),
        ReLU(),
        MaxPool2D(3, stride=2),
        Conv2D(192, kernel=5, padding=2),
        ReLU(),
        MaxPool2D(3, stride=2),
        Conv2D(384, kernel=3, padding=1),
        ReLU(),
        Conv2D(256, kernel=3, padding=1),
        ReLU(),
        Conv2D(256, kernel=3, padding=1),
        ReLU(),
        MaxPool2D(3, stride=2),
        Flatten(),
        Dense(4096),
        ReLU(),
        Dense(4096),
        ReLU(),
        Dense(10),
    ],
)

workload = Workload(
    name="alexnet",
    title="AlexNet on random images",
    model=alexnet,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=SGD(rate=0.01),
        batch=128,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=12_800, values="uniform", low=-1.0, high=1.0),
    init=Init("he"),
    parameters=45_510_474,
    source="P1 lightingghost: MXNet's native and Gluon forms",
)
