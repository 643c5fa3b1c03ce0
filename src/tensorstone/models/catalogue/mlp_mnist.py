"""A perceptron on MNIST.

Published (R, rysia): 784 → 128 → 64 → 10 with ReLU, batch 128, Adam with rate 0.01.
Left out: epochs (5 here), the range of the pixels (0 to 1 here) and initial weights (Xavier here).
"""

from tensorstone.models import Adam, Data, Dense, Model, Recipe, ReLU, Workload

workload = Workload(
    name="mlp-mnist",
    title="A perceptron on MNIST",
    model=Model("MLP", (784,), [Dense(128), ReLU(), Dense(64), ReLU(), Dense(10)]),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=0.01),
        batch=128,
        epochs=5,
        metric="accuracy",
    ),
    data=Data("mnist", samples=60_000, values="uniform", low=0.0, high=1.0),
    parameters=109_386,
    source="R rysia: declarative blueprints on MXNet, TensorFlow and PyTorch",
)
