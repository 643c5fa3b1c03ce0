"""GRU on IMDB.

Published (P3, ilkarman): the 30,000 commonest words, the last 150 tokens of each review with zeros
on the right, an embedding of 125, a GRU of 100 with both biases, its last output to two classes;
batch 64, 3 epochs, Adam with rate 1e-3.
Left out: MXNet's program there ran the cell once instead of over the sequence.
"""

from tensorstone.models import GRU, Adam, Data, Dense, Embedding, Model, Recipe, Workload

gru = Model(
    "ReviewGRU",
    (150,),
    [
        Embedding(30_000, 125),
        GRU(100, biases=2),
        Dense(2),
    ],
)

workload = Workload(
    name="gru-imdb",
    title="GRU on IMDB",
    model=gru,
    recipe=Recipe(
        loss="softmax-cross-entropy",
        optimiser=Adam(rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
        batch=64,
        epochs=3,
        metric="accuracy",
    ),
    data=Data("imdb", samples=25_000, values="tokens", vocabulary=30_000),
    parameters=3_818_302,
    source="P3 ilkarman: the Rosetta Stone of deep-learning frameworks",
)
