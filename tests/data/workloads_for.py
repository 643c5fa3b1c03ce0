"""Small workloads for prepared data."""

from __future__ import annotations

from typing import Any

from tensorstone.models import SGD, Data, Dense, Flatten, Model, Recipe, Workload


def workload(
    data: Data,
    inputs: tuple[int, ...],
    outputs: int = 10,
    loss: str = "softmax-cross-entropy",
    first: Any = None,
) -> Workload:
    """A linear model on this data; `first` stands before it."""
    metric = "accuracy" if loss.endswith("entropy") else "mse"
    recipe = Recipe(loss, SGD(0.1), batch=1, epochs=1, metric=metric)  # type: ignore[arg-type]
    layers = [first] if first else []
    if len(inputs) > 1 or first:
        layers.append(Flatten())
    return Workload("made", "Made", Model("Made", inputs, [*layers, Dense(outputs)]), recipe, data)
