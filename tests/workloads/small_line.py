"""A linear model of a linear rule: trained in a second, and learnt for the most part."""

from tensorstone.models import SGD, Data, Dense, Model, Recipe, Workload

workload = Workload(
    name="small-line",
    title="A line",
    model=Model("Line", (4,), [Dense(1)]),
    recipe=Recipe(
        loss="mean-squared",
        optimiser=SGD(rate=0.01),
        batch=8,
        epochs=3,
        metric="r2",
    ),
    data=Data("random-points", samples=203),
)
