"""Tokens through two kinds of recurrent layers, small enough to prove in every dialect."""

from tensorstone.models import GRU, LSTM, Adam, Data, Dense, Embedding, Model, Recipe, Workload

workload = Workload(
    name="small-rnn",
    title="A small recurrent network on random texts",
    model=Model(
        "SmallRNN",
        (7,),
        [
            Embedding(50, 8),
            LSTM(6, bidirectional=True, sequence=True),
            GRU(5, biases=2),
            Dense(3),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=1e-3),
        batch=4,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-texts", samples=400, values="tokens", vocabulary=50),
)
