"""MXNet's recurrent layers: how they are said, and that what is said is meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from emitted import lint
from recurrent_cases import CASES, VOCABULARY, check_life, head, proofs, said, stage, workload

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models import (
    GRU,
    LSTM,
    Concat,
    Data,
    Dense,
    Embedding,
    FirstLast,
    Flatten,
    LastStep,
    Model,
    ReLU,
    SimpleRNN,
    TimeDistributed,
    block,
)

DIALECTS = [dialect.name for dialect in frameworks()["mxnet"].dialects]
BLOCK, HYBRID, MODULE = "mxnet/gluon", "mxnet/gluon-hybrid", "mxnet/module"


def test_a_block_may_index_and_a_hybrid_one_may_not():
    layers = GRU(5, biases=2), Dense(3)
    assert "return self.fc1(x[:, -1])\n" in said(BLOCK, *layers)
    last = "x = F.flatten(F.slice_axis(x, axis=1, begin=-1, end=None))\n"
    assert last in said(HYBRID, *layers)
    for dialect in (BLOCK, HYBRID):
        assert 'self.gru1 = gluon.rnn.GRU(5, layout="NTC")\n' in said(dialect, *layers)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nobody_takes_the_last_step_with_the_operator_whose_gradient_is_wrong(dialect):
    ends = Concat([LSTM(2)], [GRU(2, bidirectional=True)], [LastStep()], [FirstLast()])
    assert "SequenceLast" not in said(dialect, ends)


def test_two_directions_end_at_two_steps():
    layers = SimpleRNN(5, bidirectional=True), Dense(3)
    text = said(BLOCK, *layers)
    assert 'gluon.rnn.RNN(5, activation="tanh", layout="NTC", bidirectional=True)' in text
    assert "# Read backwards, the last step is the first.\n" in text
    assert "x = mx.nd.concat(x[:, -1, :5], x[:, 0, 5:])\n" in text
    text = said(MODULE, *layers)
    assert "mx.sym.slice(x, begin=(None, -1, None), end=(None, None, 5))" in text
    assert "mx.sym.slice(x, begin=(None, 0, 5), end=(None, 1, None))" in text


def test_one_bias_is_two_with_one_at_zero():
    layers = LSTM(5, sequence=True), GRU(3, biases=2), Dense(3)
    text = said(HYBRID, *layers)
    assert text.count("def one_bias(rnn):") == 1
    assert 'self.lstm1 = one_bias(gluon.rnn.LSTM(5, layout="NTC"))' in text
    assert 'self.gru1 = gluon.rnn.GRU(3, layout="NTC")' in text
    assert "one_bias" not in said(HYBRID, LSTM(5, biases=2), Dense(3))
    text = said(MODULE, *layers)
    assert text.count("mx.sym.zeros(4 * units),\n") == 1
    assert "mx.sym.zeros(3 * units)" not in text


def test_a_symbol_says_each_kind_of_layer_once():
    text = said(MODULE, LSTM(5, sequence=True), LSTM(3, sequence=True), LSTM(2, biases=2))
    assert text.count("def lstm(x, features, units, name):") == 1
    assert 'x = lstm(x, 4, 5, name="lstm1")\n    x = lstm(x, 5, 3, name="lstm2")\n' in text
    assert 'x = lstm_two_biases(x, 3, 2, name="lstm3")\n' in text


def test_a_block_of_the_same_name_keeps_it():
    @block
    def lstm(units):
        return [LSTM(units, sequence=True), ReLU()]

    text = said(MODULE, lstm(3), lstm(2), LastStep())
    assert "def lstm_layer(x, features, units, name):" in text
    assert "def lstm(x, in_features, units, name):" in text
    assert 'x = lstm_layer(x, in_features, units, name=f"{name}_lstm1")' in text
    assert 'x = lstm(x, 3, 2, name="lstm2")' in text


def test_sequences_are_joined_along_their_features():
    steps = [LSTM(2, sequence=True)], [GRU(3, sequence=True)]
    assert "F.concat(branch1, branch2, dim=2)" in said(HYBRID, Concat(*steps), GRU(2))
    assert "F.concat(branch1, branch2)\n" in said(HYBRID, Concat([LSTM(2)], [GRU(3)]), Dense(2))


def test_a_dense_layer_at_every_step_is_told_not_to_flatten():
    layers = GRU(5, sequence=True), TimeDistributed(3), ReLU(), Flatten(), Dense(2)
    text = said(BLOCK, *layers)
    assert "net = nn.Sequential()" in text
    assert 'nn.Dense(3, flatten=False, activation="relu"),' in text
    assert "# Dense flattens what it reads.\n        nn.Dense(2),\n" in text
    assert 'num_hidden=3, flatten=False, name="fc1"' in said(MODULE, *layers)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_blocks_over_sequences_are_defined_once_and_know_every_name(dialect):
    parts = [Embedding(VOCABULARY, 4), stage(4), stage(3), head(2), Dense(3)]
    text = said(dialect, *parts, inputs=(9,))
    assert text.count("class Stage(") + text.count("def stage(") == 1
    assert lint(text=text) == ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_cannot_be_said_is_refused_with_the_reason(dialect):
    reason = supports(workload((6, 4), GRU(5, reset_after=False), Dense(3)), dialects()[dialect])
    assert reason == "gru1: MXNet's GRU applies the reset gate after the product with the state"
    many = replace(
        workload((6,), Embedding(VOCABULARY, 2), LSTM(2), Dense(3)),
        model=Model("Net", (6,), [Embedding(2**24 + 1, 2), LSTM(2), Dense(3)]),
        data=Data("some", samples=64, values="tokens", vocabulary=2**24 + 1),
    )
    assert supports(many, dialects()[dialect]).startswith("embed1: tokens reach MXNet as float32")


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_case_computes_what_the_model_means(dialect: str, tmp_path: Path):
    found = {
        n: (proof.outcome.status, proof.outcome.reason)
        for n, proof in proofs(dialect, tmp_path).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


# The layers with one bias, whose other must not have moved; and that any layer was looked at.
AT_ZERO = """
second = [p for name, p in net.collect_params(".*h2h_bias").items()]
held = [p for p in second if p.grad_req == "null"]
assert len(held) == 4 and not any(p.data().asnumpy().any() for p in held), second
assert len(second) == 6 and all(p.data().asnumpy().all() for p in set(second) - set(held)), second
"""


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_weights_go_in_and_out_and_the_second_bias_stays_at_zero(dialect: str, tmp_path: Path):
    symbolic = dialect.endswith(("module", "symbolblock"))  # which have no second bias at all
    check_life(dialect, CASES["in blocks"], tmp_path, "" if symbolic else AT_ZERO)
