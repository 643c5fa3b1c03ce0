"""Lasagne's room: what it says by default, what it cannot say, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted import lint
from recurrent_cases import VOCABULARY, proofs, said, workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    Add,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GlobalAvgPool2D,
    LeakyReLU,
    MaxPool2D,
    Momentum,
    ReLU,
    RMSprop,
    SimpleRNN,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    TimeDistributed,
)

THEANO = "lasagne/theano"
IMAGES = (3, 9, 8)


def test_nothing_is_said_for_the_rectifier_and_none_where_there_is_none():
    text = said(THEANO, Conv2D(4, 3), ReLU(), Conv2D(5, 3), Flatten(), Dense(3), inputs=IMAGES)
    assert "net = Conv2DLayer(net, 4, 3)\n" in text
    assert "net = Conv2DLayer(net, 5, 3, nonlinearity=None)\n" in text
    assert "# Convolutional and dense layers apply a rectifier by default.\n" in text
    assert "# A dense layer flattens what it reads.\n" in text


def test_cross_entropies_read_probabilities():
    assert "return DenseLayer(net, 3, nonlinearity=softmax)\n" in said(THEANO, LSTM(2), Dense(3))
    binary = workload((6, 4), LSTM(2), Dense(1), loss="binary-cross-entropy")
    assert supports(binary, dialects()[THEANO]) == ""
    twice = said(THEANO, LSTM(2), Dense(3), Softmax())
    assert "net = DenseLayer(net, 3, nonlinearity=softmax)\n" in twice
    assert "return NonlinearityLayer(net, softmax)\n" in twice


def test_what_lasagne_has_no_name_for_is_theanos():
    layers = Add([Conv2D(3, 1), Softplus()], [Softsign()]), Flatten(), Dropout(), Dense(3)
    text = said(THEANO, *layers, inputs=IMAGES)
    assert "branch1 = Conv2DLayer(net, 3, 1, nonlinearity=T.nnet.softplus)\n" in text
    assert "branch2 = NonlinearityLayer(net, T.nnet.softsign)\n" in text
    assert "net = ElemwiseSumLayer([branch1, branch2])\n" in text
    assert "net = DropoutLayer(net)\n" in text
    assert lint(text=text) == ""


def test_recurrent_layers_are_told_to_be_plain():
    text = said(THEANO, SimpleRNN(5, sequence=True), LSTM(4, sequence=True), GRU(3), Dense(3))
    assert "net = RecurrentLayer(net, 5, nonlinearity=tanh)\n" in text
    assert "net = LSTMLayer(net, 4, peepholes=False)\n" in text
    assert "net = GRULayer(net, 3, learn_init=False)\n" in text
    assert "net = SliceLayer(net, -1, axis=1)\n" in text


def test_two_directions_are_two_layers_that_end_at_two_steps():
    text = said(THEANO, LSTM(4, bidirectional=True), Dense(3))
    assert "net_back = LSTMLayer(net, 4, backwards=True, peepholes=False)\n" in text
    assert "net_back = SliceLayer(net_back, 0, axis=1)\n" in text
    assert "net = ConcatLayer([net_ahead, net_back])\n" in text


def test_a_dense_layer_at_every_step_reads_steps_as_samples():
    text = said(THEANO, GRU(5, sequence=True), TimeDistributed(2), Tanh(), Flatten(), Dense(3))
    assert "net = ReshapeLayer(net, (-1, [2]))\n" in text
    assert "net = DenseLayer(net, 2, nonlinearity=tanh)\n" in text
    assert "net = ReshapeLayer(net, (-1, 6, 2))\n" in text


def test_a_net_is_compiled_once_for_training_and_once_for_prediction():
    text = said(THEANO, LSTM(2), Dense(3))
    assert text.count("theano.function(") == 2
    assert "@lru_cache(maxsize=1)\ndef compiled(net):\n" in text


@pytest.mark.parametrize(
    ("layers", "inputs", "reason"),
    [
        ([GRU(5, biases=2)], (6, 4), "gru1: Lasagne's GRULayer has one bias, not two"),
        ([LSTM(5, biases=2)], (6, 4), "lstm1: Lasagne's LSTMLayer has one bias, not two"),
        (
            [GRU(5, reset_after=False)],
            (6, 4),
            "gru1: Lasagne's GRULayer applies the reset gate after the product with the state",
        ),
        (
            [Conv2D(6, 3, groups=3), Flatten()],
            IMAGES,
            "conv1: Lasagne's Conv2DLayer has no groups",
        ),
        (
            [AvgPool2D(3, padding=1), Flatten()],
            IMAGES,
            "pool1: Theano has no gradient of a mean that leaves padding out",
        ),
        (
            [Softmax(), Flatten()],
            IMAGES,
            "softmax1: Theano's softmax reads a matrix, one row for each sample",
        ),
    ],
)
def test_what_cannot_be_said_is_refused_with_the_reason(layers, inputs, reason):
    assert supports(workload(inputs, *layers, Dense(3)), dialects()[THEANO]) == reason


# Every function is compiled by g++, a second or two for each kernel that no function had before:
# the cases hold what a program's text does not show, and each of it once.
CASES = {
    "maps": workload(
        IMAGES,
        Conv2D(6, (3, 2), stride=(2, 1), padding=((1, 0), (0, 1)), bias=False),
        BatchNorm(momentum=0.8, epsilon=1e-3),
        LeakyReLU(0.2),
        Concat(
            [MaxPool2D((2, 3), stride=2, padding=((1, 0), (1, 1)))],
            [AvgPool2D(3, stride=2, padding=1, count_padding=True), GELU()],
        ),
        Concat([GlobalAvgPool2D()], [Flatten(), Dense(3)]),
        Dense(1),
        loss="binary-cross-entropy",
        optimiser=Momentum(0.05, 0.8, nesterov=True),
    ),
    "steps": workload(
        (5,),
        Embedding(VOCABULARY, 4),
        GRU(4, sequence=True),
        TimeDistributed(3),
        SimpleRNN(3, sequence=True),
        LSTM(3, bidirectional=True),
        Dense(3),
        optimiser=RMSprop(1e-2, decay=0.1),
    ),
}


def test_programs_of_the_cases_know_every_name():
    for case in CASES.values():
        assert lint(text=emit(case, dialects()[THEANO])) == ""


@pytest.mark.frameworks("lasagne")
def test_every_case_computes_what_the_model_means(tmp_path: Path):
    found = {
        n: (p.outcome.status, p.outcome.reason) for n, p in proofs(THEANO, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))
