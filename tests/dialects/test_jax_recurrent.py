"""Flax's recurrent layers: how they are said, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from recurrent_cases import CASES, VOCABULARY, check_life, head, proofs, said, stage, workload

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import GRU, LSTM, Dense, Embedding, SimpleRNN

FLAX = "jax/flax"


def test_a_cell_is_run_over_the_sequence():
    text = said(FLAX, LSTM(5, sequence=True), GRU(3), Dense(3))
    assert "self.lstm1 = nnx.RNN(nnx.OptimizedLSTMCell(4, 5, rngs=rngs))" in text
    assert "self.gru1 = nnx.RNN(nnx.GRUCell(5, 3, rngs=rngs))" in text
    assert "x = self.lstm1(x)\n        x = self.gru1(x)[:, -1]\n" in text


def test_two_directions_end_at_two_steps():
    text = said(FLAX, LSTM(5, bidirectional=True), Dense(3))
    assert text.count("nnx.RNN(nnx.OptimizedLSTMCell(4, 5, rngs=rngs)),") == 2
    assert "((_, ahead), (_, back)), _ = self.lstm1(x, return_carry=True)\n" in text
    assert "x = jnp.concatenate([ahead, back], axis=-1)\n" in text
    simple = said(FLAX, SimpleRNN(5, bidirectional=True), Dense(3))
    assert "(ahead, back), _ = self.rnn1(x, return_carry=True)\n" in simple


@pytest.mark.parametrize(
    ("layer", "cell"),
    [
        (GRU(5, biases=2), "class TwoBiasGRUCell(nnx.GRUCell):"),
        (LSTM(5, biases=2), "class TwoBiasLSTMCell(nnx.OptimizedLSTMCell):"),
        (SimpleRNN(5, biases=2), "class TwoBiasSimpleCell(nnx.SimpleCell):"),
    ],
)
def test_the_bias_flax_leaves_out_is_given_by_a_cell_of_the_programs_own(layer, cell):
    text = said(FLAX, layer, Dense(3))
    assert text.count(cell) == 1
    assert "TwoBias" not in said(FLAX, type(layer)(5), Dense(3))


def test_a_block_over_sequences_asks_for_its_features():
    text = said(FLAX, Embedding(VOCABULARY, 4), stage(4), stage(3), head(2), inputs=(9,))
    assert text.count("class Stage") == 1
    assert "self.embed1 = nnx.Embed(11, 4, rngs=rngs)" in text
    assert "self.stage2 = Stage(8, 3, rngs=rngs)" in text
    assert "nnx.RNN(TwoBiasGRUCell(in_features, 2 * units, rngs=rngs))" in text


def test_the_other_gru_is_refused_with_the_reason():
    reason = supports(workload((6, 4), GRU(5, reset_after=False), Dense(3)), dialects()[FLAX])
    assert reason == "gru1: nnx.GRUCell applies the reset gate after the product with the state"


@pytest.mark.slow
@pytest.mark.frameworks("jax")
def test_every_case_computes_what_the_model_means(tmp_path: Path):
    found = {
        name: (proof.outcome.status, proof.outcome.reason)
        for name, proof in proofs(FLAX, tmp_path).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


@pytest.mark.frameworks("jax")
def test_weights_go_in_and_out(tmp_path: Path):
    check_life(FLAX, CASES["in blocks"], tmp_path)
