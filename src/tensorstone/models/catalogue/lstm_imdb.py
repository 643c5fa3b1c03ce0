"""LSTM on IMDB, the words' vectors given.

Published (R, rysia): reviews as 250 steps of 50 numbers, an LSTM of 128, its last output to two
classes; batch 128, Adam with rate 0.01.
Left out: how its word vectors were made (random ones here, the same in every run) and the second
bias that some of its three LSTMs had. Epochs were not published; 5,000 reviews, whose vectors fill
0.25 GB, train here.
"""

from tensorstone.models import LSTM, Adam, Data, Dense, Model, Recipe, Workload

lstm = Model("ReviewLSTM", (250, 50), [LSTM(128), Dense(2)])

workload = Workload(
    name="lstm-imdb",
    title="LSTM on IMDB",
    model=lstm,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=0.01),
        batch=128,
        epochs=3,
        metric="accuracy",
    ),
    data=Data("imdb", samples=5_000, vocabulary=20_000),
    parameters=91_906,
    source="R rysia: declarative blueprints on MXNet, TensorFlow and PyTorch",
)
