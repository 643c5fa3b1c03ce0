"""LSTM on a time series, its lags as a true sequence of 51 steps.

Not published: P4 (LaoLiulaoliu) gave the same 51 numbers as one step, where a recurrent layer has
nothing to recur over.
"""

from tensorstone.models import LSTM, Adam, Data, Dense, Dropout, Model, Recipe, Workload

lstm = Model("LongSeriesLSTM", (51, 1), [LSTM(64), Dense(1), Dropout(0.01), Dense(1)])

workload = Workload(
    name="lstm-series-long",
    title="LSTM on a series of hours",
    model=lstm,
    recipe=Recipe(
        loss="mean-squared",
        optimiser=Adam(rate=1e-3),
        batch=32,
        epochs=200,
        metric="r2",
    ),
    data=Data("beijing-pm25", samples=1_077),
    parameters=16_963,
    source="P4 LaoLiulaoliu: TensorFlow 2.4 against MXNet 1.7",
)
