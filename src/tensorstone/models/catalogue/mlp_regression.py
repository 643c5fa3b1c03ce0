"""Regression of a linear function of a thousand inputs by a small perceptron.

Published (P0, cs224): 1000 → 300 → 100 → 1 with ReLU, batch 256, 20 epochs, Adam's defaults,
squared loss; 100,000 normal samples of which 90,000 train.
Left out: initial weights (each framework's own there; Xavier here). MXNet's squared loss was
half the others'; here it is the mean of the squares.
"""

from tensorstone.models import Adam, Data, Dense, Model, Recipe, ReLU, Workload

workload = Workload(
    name="mlp-regression",
    title="A perceptron on linear regression",
    model=Model("MLP", (1000,), [Dense(300), ReLU(), Dense(100), ReLU(), Dense(1)]),
    recipe=Recipe(
        loss="mean-squared",
        optimiser=Adam(rate=1e-3, beta1=0.9, beta2=0.999),
        batch=256,
        epochs=20,
        metric="mse",
    ),
    data=Data("linear", samples=90_000),
    parameters=330_501,
    source="P0 cs224: Gluon, Module and Keras on an MLP regression (MXNet 1.3.1, TF 1.12)",
)
