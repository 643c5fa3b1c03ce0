"""CNTK's room: what only it says, what it cannot say, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted import lint
from recurrent_cases import VOCABULARY, check_life, proofs, said, workload

from tensorstone.dialects.emit import emit, supports
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
    Dense,
    Dropout,
    Embedding,
    FirstLast,
    Flatten,
    GlobalAvgPool2D,
    LastStep,
    LeakyReLU,
    MaxPool2D,
    Momentum,
    ReLU,
    RMSprop,
    Sigmoid,
    SimpleRNN,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    TimeDistributed,
)

LAYERS = "cntk/layers"
IMAGES = (3, 9, 8)


def test_a_chain_is_a_sequential_of_functions():
    text = said(LAYERS, Conv2D(4, 3), ReLU(), MaxPool2D(2), Flatten(), Dense(3), inputs=IMAGES)
    assert "net = C.layers.Sequential(\n" in text
    assert "C.layers.Convolution2D((3, 3), 4, activation=C.relu),\n" in text
    assert "C.layers.MaxPooling((2, 2), strides=2),\n" in text
    assert "C.layers.Dense(3),\n" in text
    assert "C.reshape" not in text


def test_two_directions_are_a_pair_of_functions_and_a_splice():
    text = said(LAYERS, LSTM(4, bidirectional=True), Dense(3))
    assert "C.layers.Fold(C.layers.LSTM(4)),\n" in text
    assert "C.layers.Fold(C.layers.LSTM(4), go_backwards=True),\n" in text
    assert "),\n            C.splice,\n" in text


def test_padding_is_left_to_a_layer_only_where_it_means_half_the_kernel():
    def line(padding, kernel=3):
        text = said(LAYERS, Conv2D(4, kernel, stride=2, padding=padding), Flatten(), inputs=IMAGES)
        return text[text.index("x = ") : text.index("def learner")]

    assert "strides=2, pad=True)" in line(1)
    assert "strides=2, pad=(True, False))" in line((1, 0))
    assert "C.pad(x, [(0, 0), (0, 1), (0, 1)])" in line(((0, 1), (0, 1)))
    assert "C.pad(x, [(0, 0), (2, 2), (2, 2)])" in line(2)
    assert "C.pad(x, [(0, 0), (1, 1), (1, 1)])" in line(1, kernel=2)


def test_adam_is_told_to_leave_its_rate_alone():
    adam = said(LAYERS, LSTM(2), Dense(3))
    assert "minibatch_size=C.learners.IGNORE" in adam
    plain = emit(workload((6, 4), LSTM(2), Dense(3), optimiser=SGD(0.1)), dialects()[LAYERS])
    assert "IGNORE" not in plain


@pytest.mark.parametrize(
    ("layers", "inputs", "reason"),
    [
        (
            [GRU(5)],
            (6, 4),
            "gru1: CNTK's GRU applies the reset gate before the product with the state",
        ),
        ([LSTM(5, biases=2)], (6, 4), "lstm1: CNTK's LSTM has one bias, not two"),
        (
            [LSTM(5, sequence=True), Flatten()],
            (6, 4),
            "flatten1: CNTK's sequences are of any length and cannot be flattened",
        ),
        (
            [BatchNorm(), Flatten()],
            IMAGES,
            "bn1: CNTK's running averages forget by the sample, not by the batch: their momentum "
            "changes with the batch's size",
        ),
        ([Conv2D(6, 3, groups=3), Flatten()], IMAGES, "conv1: CNTK's Convolution2D has no groups"),
        (
            [AvgPool2D(3, padding=((1, 0), (0, 0))), Flatten()],
            IMAGES,
            "pool1: AveragePooling can leave padding out of the mean only when it is half the "
            "kernel on both sides",
        ),
        ([GELU(), Flatten()], IMAGES, "gelu1: CNTK has no error function, which GELU needs"),
    ],
)
def test_what_cannot_be_said_is_refused_with_the_reason(layers, inputs, reason):
    assert supports(workload(inputs, *layers, Dense(3)), dialects()[LAYERS]) == reason


CASES = {
    "maps": workload(
        IMAGES,
        Conv2D(6, (3, 2), stride=(2, 1), padding=((1, 0), (0, 2)), bias=False),
        LeakyReLU(0.2),
        Add([Conv2D(6, 3, padding=1), Softplus()], []),
        Concat(
            [MaxPool2D(3, stride=2, padding=1), Tanh()],
            [AvgPool2D(3, stride=2, padding=1, count_padding=True), Softmax()],
            [AvgPool2D(3, stride=2, padding=1), Softsign()],
            [MaxPool2D((2, 3), stride=2, padding=((1, 0), (1, 1))), LeakyReLU()],
        ),
        Dropout(0.4),
        Concat(
            [GlobalAvgPool2D(), Dense(4, bias=False), Sigmoid()],
            [GlobalAvgPool2D(), Softmax()],
            [Flatten(), Dense(3)],
        ),
        Dense(1),
        loss="binary-cross-entropy",
        optimiser=Momentum(0.05, 0.8, nesterov=True),
    ),
    "tokens": workload(
        (5,),
        Embedding(VOCABULARY, 4),
        LSTM(3, bidirectional=True, sequence=True),
        GRU(4, sequence=True, reset_after=False),
        Concat([SimpleRNN(3, bidirectional=True)], [FirstLast()], [LastStep(), ReLU()]),
        Dense(3),
    ),
    "every step": workload(
        (5, 3),
        GRU(4, bidirectional=True, sequence=True, reset_after=False),
        TimeDistributed(2, bias=False),
        loss="mean-squared",
        optimiser=RMSprop(1e-2, decay=0.1),
    ),
}


def test_programs_of_the_cases_know_every_name():
    for case in CASES.values():
        assert lint(text=emit(case, dialects()[LAYERS])) == ""


@pytest.mark.frameworks("cntk")
def test_every_case_computes_what_the_model_means(tmp_path: Path):
    found = {
        n: (p.outcome.status, p.outcome.reason) for n, p in proofs(LAYERS, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


@pytest.mark.frameworks("cntk")
@pytest.mark.parametrize("case", ["tokens", "every step"])
def test_weights_go_in_and_out_and_come_back_from_a_file(case: str, tmp_path: Path):
    check_life(LAYERS, CASES[case], tmp_path)
