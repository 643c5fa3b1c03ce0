"""Two bidirectional GRU layers over tokens, trained with Adam."""

from tensorstone.models import GRU, Adam, Data, Dense, Embedding, Model, Recipe, Workload

workload = Workload(
    name="bidirectional-gru",
    title="A two-layer bidirectional GRU on random texts",
    model=Model(
        "BiGRU",
        (6,),
        [
            Embedding(30, 6),
            GRU(5, biases=2, bidirectional=True, sequence=True),
            GRU(4, biases=2, bidirectional=True),
            Dense(3),
        ],
    ),
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=1e-3),
        batch=6,
        epochs=1,
        metric="accuracy",
    ),
    data=Data("random-texts", samples=300, values="tokens", vocabulary=30),
)
