"""A densely connected block and a transition, trained with Nesterov's momentum."""

from tensorstone.models import (
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Flatten,
    Model,
    Momentum,
    Recipe,
    ReLU,
    Workload,
    block,
)
from tensorstone.models.structure import Fork


@block
def grown(growth: int) -> Fork:
    """What came in, and a few channels more that are made from it."""
    return Concat([], [BatchNorm(), ReLU(), Conv2D(growth, kernel=3, padding=1, bias=False)])


workload = Workload(
    name="dense",
    title="A small densely connected network on random images",
    model=Model(
        "SmallDenseNet",
        (3, 8, 8),
        [
            Conv2D(4, kernel=3, padding=1),
            grown(3),
            grown(3),
            Conv2D(5, kernel=1),
            AvgPool2D(2),
            grown(3),
            ReLU(),
            Flatten(),
            Dense(4),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Momentum(rate=0.02, momentum=0.9, nesterov=True),
        batch=6,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=300),
)
