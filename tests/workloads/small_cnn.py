"""A little of everything convolutional, small enough to prove in every dialect in seconds."""

from tensorstone.models import (
    Adam,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    Workload,
    block,
)
from tensorstone.models.structure import Fork


@block
def mixed(width: int) -> Fork:
    """A point-wise and a spatial path, side by side."""
    return Concat(
        [Conv2D(width, kernel=1), ReLU()],
        [MaxPool2D(3, stride=1, padding=1), Conv2D(width, kernel=3, padding=1), ReLU()],
    )


workload = Workload(
    name="small-cnn",
    title="A small CNN on random images",
    model=Model(
        "SmallCNN",
        (3, 16, 16),
        [
            Conv2D(8, kernel=3, stride=2, padding=1),
            BatchNorm(),
            ReLU(),
            mixed(6),
            AvgPool2D(2),
            mixed(4),
            Flatten(),
            Dropout(0.25),
            Dense(16),
            ReLU(),
            Dense(10),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=1e-3),
        batch=16,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-images", samples=1600),
)
