"""Depthwise separable convolutions with batch norm, trained with RMSprop."""

from tensorstone.models import (
    BatchNorm,
    Conv2D,
    Data,
    Dense,
    GlobalAvgPool2D,
    Model,
    Recipe,
    ReLU,
    RMSprop,
    Workload,
    block,
)
from tensorstone.models.structure import Part


@block
def separable(channels: int, width: int) -> list[Part]:
    """Each channel on its own, then all of them at each place."""
    return [
        Conv2D(channels, kernel=3, padding=1, groups=channels, bias=False),
        BatchNorm(),
        ReLU(),
        Conv2D(width, kernel=1, bias=False),
        BatchNorm(),
        ReLU(),
    ]


workload = Workload(
    name="depthwise",
    title="A small depthwise network on random images",
    model=Model(
        "SmallMobileNet",
        (3, 10, 10),
        [
            Conv2D(4, kernel=3, stride=2, padding=((0, 1), (0, 1))),
            BatchNorm(),
            ReLU(),
            separable(4, 8),
            separable(8, 6),
            GlobalAvgPool2D(),
            Dense(4),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=RMSprop(rate=1e-3, rho=0.9, epsilon=1e-7),
        batch=8,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=400),
)
