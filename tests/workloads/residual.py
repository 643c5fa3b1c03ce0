"""Two residual blocks with batch norm, trained with momentum."""

from tensorstone.models import (
    Add,
    BatchNorm,
    Conv2D,
    Data,
    Dense,
    GlobalAvgPool2D,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    Workload,
    block,
)
from tensorstone.models.structure import Part


@block
def residual(width: int) -> list[Part]:
    """Two convolutions, and what came in added to them."""
    return [
        Add(
            [
                Conv2D(width, kernel=3, padding=1, bias=False),
                BatchNorm(),
                ReLU(),
                Conv2D(width, kernel=3, padding=1, bias=False),
                BatchNorm(),
            ],
            [],
        ),
        ReLU(),
    ]


workload = Workload(
    name="residual",
    title="A small residual network on random images",
    model=Model(
        "SmallResNet",
        (3, 8, 8),
        [
            Conv2D(6, kernel=3, padding=1),
            BatchNorm(),
            ReLU(),
            residual(6),
            MaxPool2D(2),
            residual(6),
            GlobalAvgPool2D(),
            Dense(5),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Momentum(rate=0.05, momentum=0.9),
        batch=8,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=400),
)
