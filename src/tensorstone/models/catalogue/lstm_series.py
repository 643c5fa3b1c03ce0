"""LSTM on a time series, its lags given as the features of one step.

Published (P4, LaoLiulaoliu): 1,436 samples of 51 lag features shaped (1, 51), 1,077 of them to
train on; LSTM 64, dense 1, dropout 0.01, dense 1; 200 epochs.
Left out: the two sides' own batches (1 there, all of them here: 1,077 updates an epoch against
one), rates (1e-4, 1e-3) and losses (absolute, half squared). One recipe for all, and batch 32.
"""

from tensorstone.models import LSTM, Adam, Data, Dense, Dropout, Model, Recipe, Workload

lstm = Model("SeriesLSTM", (1, 51), [LSTM(64), Dense(1), Dropout(0.01), Dense(1)])

workload = Workload(
    name="lstm-series",
    title="LSTM on an hourly series",
    model=lstm,
    recipe=Recipe(
        loss="mean-squared",
        optimiser=Adam(rate=1e-3),
        batch=32,
        epochs=200,
        metric="r2",
    ),
    data=Data("beijing-pm25", samples=1_077),
    parameters=29_763,
    source="P4 LaoLiulaoliu: TensorFlow 2.4 against MXNet 1.7",
)
