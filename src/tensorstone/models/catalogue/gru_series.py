"""GRU on a time series, its lags given as the features of one step.

Published (P4, LaoLiulaoliu): as lstm-series, with a GRU of both biases in the LSTM's place.
"""

from tensorstone.models import GRU, Adam, Data, Dense, Dropout, Model, Recipe, Workload

gru = Model("SeriesGRU", (1, 51), [GRU(64, biases=2), Dense(1), Dropout(0.01), Dense(1)])

workload = Workload(
    name="gru-series",
    title="GRU on an hourly series",
    model=gru,
    recipe=Recipe(
        loss="mean-squared",
        optimiser=Adam(rate=1e-3),
        batch=32,
        epochs=200,
        metric="r2",
    ),
    data=Data("beijing-pm25", samples=1_077),
    parameters=22_531,
    source="P4 LaoLiulaoliu: TensorFlow 2.4 against MXNet 1.7",
)
