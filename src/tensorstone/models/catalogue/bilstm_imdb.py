"""Two bidirectional LSTMs on IMDB.

Published (P4, LaoLiulaoliu): the 20,000 commonest words, 256 tokens, an embedding of 64, two
bidirectional LSTMs of 128, their first and last steps to two classes; batch 256, Adam with rate
0.01.
Left out: the second bias that MXNet's LSTM has and Keras's has not. Epochs were not published.
"""

from tensorstone.models import (
    LSTM,
    Adam,
    Data,
    Dense,
    Embedding,
    FirstLast,
    Model,
    Recipe,
    Workload,
)

bilstm = Model(
    "ReviewBiLSTM",
    (256,),
    [
        Embedding(20_000, 64),
        LSTM(128, bidirectional=True, sequence=True),
        LSTM(128, bidirectional=True, sequence=True),
        FirstLast(),
        Dense(2),
    ],
)

workload = Workload(
    name="bilstm-imdb",
    title="Bidirectional LSTM on IMDB",
    model=bilstm,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=0.01),
        batch=256,
        epochs=3,
        metric="accuracy",
    ),
    data=Data("imdb", samples=25_000, values="tokens", vocabulary=20_000),
    source="P4 LaoLiulaoliu: TensorFlow 2.4 against MXNet 1.7",
)
