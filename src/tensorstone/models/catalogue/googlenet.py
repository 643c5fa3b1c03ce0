"""GoogLeNet with a thousand classes, without batch normalisation or auxiliary outputs.

Published (P1, lightingghost): forward and backward of 100 batches of 128 images drawn evenly
from −1 to 1, with no optimiser step. Its two forms were different networks: the symbol's average
pool had stride 1 (31.57 M parameters), Gluon's stride 2 (15.19 M) and two ReLUs fewer. This is
the stride-2 form with a ReLU after every convolution.
Left out: an optimiser (SGD with rate 0.01 here), initial weights (He here).
"""

from tensorstone.models import (
    SGD,
    AvgPool2D,
    Concat,
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
    block,
)
from tensorstone.models.structure import Fork


@block
def inception(c1: int, r3: int, c3: int, r5: int, c5: int, pooled: int) -> Fork:
    """Four columns: 1×1 | reduced, 3×3 | reduced, 5×5 | pooled, 1×1."""
    return Concat(
        [Conv2D(c1, kernel=1), ReLU()],
        [Conv2D(r3, kernel=1), ReLU(), Conv2D(c3, kernel=3, padding=1), ReLU()],
        [Conv2D(r5, kernel=1), ReLU(), Conv2D(c5, kernel=5, padding=2), ReLU()],
        [MaxPool2D(3, stride=1, padding=1), Conv2D(pooled, kernel=1), ReLU()],
    )


googlenet = Model(
    "GoogLeNet",
    (3, 224, 224),
    [
        Conv2D(64, kernel=7, stride=2, padding=3),
        ReLU(),
        MaxPool2D(3, stride=2),
        Conv2D(64, kernel=1),
        ReLU(),
        Conv2D(192, kernel=3, padding=1),
        ReLU(),
        MaxPool2D(3, stride=2),
        inception(64, 96, 128, 16, 32, 32, name="inception3a"),
        inception(128, 128, 192, 32, 96, 64, name="inception3b"),
        MaxPool2D(3, stride=2),
        inception(192, 96, 208, 16, 48, 64, name="inception4a"),
        inception(160, 112, 224, 24, 64, 64, name="inception4b"),
        inception(128, 128, 256, 24, 64, 64, name="inception4c"),
        inception(112, 144, 288, 32, 64, 64, name="inception4d"),
        inception(256, 160, 320, 32, 128, 128, name="inception4e"),
        MaxPool2D(3, stride=2),
        inception(256, 160, 320, 32, 128, 128, name="inception5a"),
        inception(384, 192, 384, 48, 128, 128, name="inception5b"),
        AvgPool2D(2),
        Flatten(),
        Dense(1000),
    ],
)

workload = Workload(
    name="googlenet",
    title="GoogLeNet on random images",
    model=googlenet,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=SGD(rate=0.01),
        batch=128,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=12_800, values="uniform", low=-1.0, high=1.0),
    init=Init("he"),
    parameters=15_190_552,
    source="P1 lightingghost: MXNet's native and Gluon forms",
)
