"""DyNet's room: what only it says, what it refuses, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted import source
from recurrent_cases import VOCABULARY, check_life, proofs, said, workload

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    SGD,
    Add,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Embedding,
    FirstLast,
    Flatten,
    GlobalAvgPool2D,
    LastStep,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    RMSprop,
    Sigmoid,
    SimpleRNN,
    Softmax,
    Softsign,
    Tanh,
    TimeDistributed,
    Workload,
)
from tensorstone.models.recipe import Optimiser
from tensorstone.models.structure import Path as Parts

MINIBATCH = "dynet/minibatch"


def maps(
    *layers: Parts, loss: str = "mean-squared", optimiser: Optimiser | None = None
) -> Workload:
    metric = "accuracy" if "entropy" in loss else "mse"
    return Workload(
        "case",
        "A case",
        Model("Net", (2, 7, 6), layers),
        Recipe(loss, optimiser or SGD(0.1), batch=4, epochs=1, metric=metric),  # type: ignore[arg-type]
        Data("some", samples=64),
    )


RECURRENT = workload(
    (5,),
    Embedding(VOCABULARY, 4),
    Add([GRU(4, sequence=True, reset_after=False)], [TimeDistributed(4), Tanh()]),
    Concat([SimpleRNN(3, sequence=True)], [LSTM(2, sequence=True, bidirectional=True)]),
    Concat(
        GRU(3, bidirectional=True, reset_after=False),
        [LastStep(), Sigmoid()],
        FirstLast(),
        [TimeDistributed(2, bias=False), Flatten()],
    ),
    Dense(3),
)
CASES = {
    "tokens": RECURRENT,
    "every step": workload(
        (4, 3), Dropout(0.3), LSTM(4, sequence=True), TimeDistributed(2), loss="mean-squared"
    ),
    # Nothing is square: axes that were exchanged would show.
    "maps": maps(
        Conv2D(4, kernel=(3, 2), stride=(1, 2)),
        Tanh(),
        Concat([Conv2D(3, kernel=(3, 1), padding=((1, 1), (0, 0)), bias=False)], [ReLU()]),
        MaxPool2D((3, 2), stride=1, padding=((1, 1), (0, 1))),
        AvgPool2D((2, 1), stride=1),
        Concat([Flatten(), Dense(3), Softsign(), Softmax()], GlobalAvgPool2D()),
        Dense(2),
        loss="half-squared",
        optimiser=Momentum(0.05, 0.9),
    ),
    "logits": maps(Flatten(), Dense(2), loss="binary-cross-entropy"),
    "distances": maps(Flatten(), Dense(2), loss="absolute"),
    "maps that stay maps": maps(
        AvgPool2D((3, 1), stride=1, padding=((1, 1), (0, 0)), count_padding=True), Conv2D(1, 2)
    ),
}


def test_every_minibatch_has_a_graph_of_its_own():
    text = source("lenet", MINIBATCH) or ""
    assert "        dy.renew_cg()\n        loss = loss_fn(net(x), y)\n" in text
    assert "autobatch" not in text


def test_what_dynet_does_unless_told_is_told():
    text = source("bilstm-imdb", MINIBATCH) or ""
    assert "trainer.set_clip_threshold(-1)" in text
    assert "trainer.set_sparse_updates(False)" in text
    assert "dy.VanillaLSTMBuilder(*sizes, forget_bias=0.0)" in text
    assert "set_sparse_updates" not in (source("lenet", MINIBATCH) or "")


def test_both_directions_end_where_they_end():
    text = said(MINIBATCH, LSTM(5, bidirectional=True), Dense(3))
    assert "dy.BiRNNBuilder(1, 4, 10, pc, lstm)" in text
    assert "dy.concatenate([x[-1][:5], x[0][5:]])" in text


REFUSED = {
    "gru1: GRUBuilder applies the reset gate before the product with the state": workload(
        (6, 4), GRU(5)
    ),
    "lstm1: DyNet's builders have one bias for every gate": workload((6, 4), LSTM(5, biases=2)),
    "conv1: DyNet's convolutions have no groups": maps(Conv2D(2, 3, groups=2)),
    "conv1: DyNet pads to keep a map's size (a mean counts it) or not": maps(
        Conv2D(2, kernel=3, stride=2, padding=1)
    ),
    "bn1: DyNet has no BatchNorm of maps": maps(BatchNorm()),
    "softmax1: DyNet has no Softmax of maps": maps(Softmax()),
    "softsign1: DyNet has no Softsign of maps": maps(Softsign()),
    "gelu1: DyNet has no GELU": maps(Flatten(), GELU()),
    "optimiser: DyNet has no Nesterov momentum": maps(
        ReLU(), optimiser=Momentum(0.1, nesterov=True)
    ),
    "optimiser: RMSPropTrainer adds epsilon inside the root": maps(ReLU(), optimiser=RMSprop()),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_dynet_cannot_say_is_refused_with_the_reason(reason):
    assert supports(REFUSED[reason], dialects()[MINIBATCH]) == reason


@pytest.mark.frameworks("dynet")
def test_cases_compute_what_the_model_means(tmp_path: Path):
    found = {
        n: (p.outcome.status, p.outcome.reason)
        for n, p in proofs(MINIBATCH, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


@pytest.mark.frameworks("dynet")
def test_weights_go_in_and_out(tmp_path: Path):
    check_life(MINIBATCH, RECURRENT, tmp_path)
