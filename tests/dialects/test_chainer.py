"""Chainer: how it is said, what it is kept from, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted import lint
from recurrent_cases import CASES, check_life, proofs, said, workload

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

NUMPY, IDEEP = DIALECTS = ["chainer/define-by-run", "chainer/ideep"]
MAP = (3, 9, 11)

# Every layer and option that the catalogue does not use; every loss and optimiser.
SAID = {
    "padded": workload(
        MAP,
        Conv2D(6, (3, 2), stride=(2, 1), padding=((0, 1), (2, 0)), groups=3, bias=False),
        BatchNorm(momentum=0.8, epsilon=1e-3),
        LeakyReLU(0.1),
        MaxPool2D(2, stride=1, padding=((0, 1), (1, 0))),
        AvgPool2D((2, 3), stride=1, padding=((1, 0), (0, 1)), count_padding=True),
        MaxPool2D(3, stride=2, padding=1),
        Dropout(0.3),
        Conv2D(4, 2),
        Flatten(),
        Softsign(),
        Dense(3, bias=False),
        optimiser=Momentum(0.05, 0.8, nesterov=True),
    ),
    "pooled beside": workload(
        MAP,
        Conv2D(4, 3),
        Add([AvgPool2D(3, stride=1, padding=1)], []),
        Concat([AvgPool2D(3, padding=1)], [Tanh(), MaxPool2D(3, padding=1)]),
        GlobalAvgPool2D(),
        BatchNorm(),
        Dense(2),
        loss="binary-cross-entropy",
        optimiser=RMSprop(0.01, 0.8, 1e-5, decay=0.1),
    ),
    # Sixteen channels: iDeep holds such maps in a layout of its own.
    "wide": workload(
        MAP,
        Conv2D(16, 2),
        Tanh(),
        Conv2D(16, 2),
        Add([Sigmoid(), AvgPool2D(3, stride=1, padding=1)], [Softsign()], []),
        Conv2D(16, 1),
        Concat([GELU()], [LeakyReLU(), BatchNorm()]),
        Conv2D(16, 2),
        Dropout(),
        Softplus(),
        Conv2D(16, 1),
        Softmax(),
        Conv2D(8, 2, padding=((0, 1), (0, 0))),
        GlobalAvgPool2D(),
        Dense(3),
    ),
    "smooth": workload(
        (6, 5),
        Flatten(),
        Dense(8),
        GELU(),
        Dense(7),
        Softplus(),
        Concat([Dense(4), Sigmoid()], [Dense(3), Softmax()]),
        Dense(2),
        loss="half-squared",
        optimiser=SGD(0.1),
    ),
    "one step": workload(
        (1, 4),
        SimpleRNN(3, sequence=True, bidirectional=True),
        GRU(4, biases=2),
        Dense(2),
        loss="absolute",
        optimiser=Momentum(0.05),
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", SAID)
def test_every_option_is_said_without_a_word_too_many(name, dialect):
    assert lint(text=emit(SAID[name], dialects()[dialect])) == ""


def test_links_are_made_in_their_scope_and_find_their_sizes():
    text = said(NUMPY, Conv2D(5, 3, padding=1), ReLU(), Flatten(), Dense(2), inputs=MAP)
    assert "class Net(chainer.Chain):" in text
    assert "        with self.init_scope():\n            self.conv1 = L.Convolution2D(" in text
    assert "L.Convolution2D(None, 5, ksize=3, pad=1)" in text
    assert "# Linear flattens what it reads.\n        return self.fc1(x)\n" in text


def test_flattening_is_said_where_no_linear_does_it():
    text = said(NUMPY, Flatten(), ReLU(), Dense(2), inputs=MAP)
    assert "x = F.reshape(x, (len(x), -1))\n" in text
    assert "Linear flattens" not in text


def test_sizes_round_down_where_chainer_would_round_up():
    ending = Flatten(), Dense(2)
    text = said(NUMPY, MaxPool2D(2), *ending, inputs=MAP)
    assert "F.max_pooling_2d(x, 2, cover_all=False)" in text
    assert "cover_all" not in said(NUMPY, MaxPool2D(3, stride=2), *ending, inputs=MAP)


def test_ideep_is_a_device_and_leaves_dropout_to_numpy():
    layers = Conv2D(5, 3), Dropout(0.2), Flatten(), Dense(2)
    tuned = said(IDEEP, *layers, inputs=MAP)
    assert 'chainer.config.use_ideep = "auto"\n' in tuned
    assert '    net.to_device("@intel64")\n' in tuned
    assert "in_numpy(F.dropout, self.conv1(x), ratio=0.2)" in tuned
    plain = said(NUMPY, *layers, inputs=MAP)
    assert "ideep" not in plain
    assert "F.dropout(self.conv1(x), ratio=0.2)" in plain


def test_a_state_of_nothing_and_a_list_of_sequences():
    text = said(NUMPY, LSTM(5, sequence=True), GRU(3, biases=2), Dense(2))
    assert "self.lstm1 = one_bias(L.NStepLSTM(1, 4, 5, dropout=0))" in text
    assert "self.gru1 = L.NStepGRU(1, 5, 3, dropout=0)" in text
    assert "_, _, x = self.lstm1(None, None, F.separate(x))\n" in text
    assert "h, _ = self.gru1(None, x)\n        return self.fc1(h[0])\n" in text


def test_two_directions_end_at_two_steps():
    text = said(NUMPY, SimpleRNN(5, bidirectional=True), Dense(3))
    assert "L.NStepBiRNNTanh(1, 4, 5, dropout=0)" in text
    assert "x = F.concat((h[0], h[1]))\n" in text


def test_sequences_become_one_array_for_layers_that_are_not_recurrent():
    layers = GRU(5, sequence=True), TimeDistributed(2), Concat([LastStep()], [FirstLast()])
    text = said(NUMPY, *layers, Dense(2))
    assert "_, x = self.gru1(None, F.separate(x))\n        x = F.stack(x)\n" in text
    assert "x = self.fc1(x, n_batch_axes=2)\n" in text
    assert "F.concat((x[:, 0], x[:, -1]))" in text
    joined = Concat([LSTM(2, sequence=True)], [GRU(3, sequence=True)])
    assert "F.concat((branch1, branch2), axis=2)" in said(NUMPY, joined, GRU(2))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("inputs", "layer", "reason"),
    [
        (
            (6, 4),
            GRU(5, reset_after=False),
            "gru1: L.NStepGRU applies the reset gate after the product with the state",
        ),
        (
            MAP,
            AvgPool2D(2, padding=((0, 1), (0, 1))),
            "pool1: average pooling can leave padding out of the mean only when it is the same on "
            "both sides",
        ),
    ],
)
def test_what_cannot_be_said_is_refused_with_the_reason(dialect, inputs, layer, reason):
    ending = [Flatten(), Dense(3)] if inputs == MAP else [Dense(3)]
    assert supports(workload(inputs, layer, *ending), dialects()[dialect]) == reason


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_case_computes_what_the_model_means(dialect: str, tmp_path: Path):
    cases = CASES | SAID
    found = {
        name: (proof.outcome.status, proof.outcome.reason)
        for name, proof in proofs(dialect, tmp_path, cases).items()
    }
    assert found == dict.fromkeys(cases, ("ok", ""))


# Of five layers only the two GRUs, which have two biases, are left with the state's.
GONE = """
second = [name for name, _ in net.namedparams() if name[-2:] in ("b4", "b5", "b6", "b7")]
assert len(second) == 4 and all("/gru1/" in name for name in second), second
"""


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_weights_go_in_and_out_and_the_second_bias_is_gone(dialect: str, tmp_path: Path):
    check_life(dialect, CASES["in blocks"], tmp_path, GONE)


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_sizes_that_wait_for_a_batch_do_not_keep_weights_from_loading(dialect, tmp_path: Path):
    layers = Conv2D(4, 3), ReLU(), Dropout(), Flatten(), Dense(3)
    check_life(dialect, workload(MAP, *layers), tmp_path)
