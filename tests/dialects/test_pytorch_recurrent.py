"""PyTorch's recurrent layers: how they are said, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from recurrent_cases import CASES, VOCABULARY, check_life, head, proofs, said, stage, workload

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    GRU,
    LSTM,
    Add,
    Concat,
    Dense,
    Dropout,
    Embedding,
    LastStep,
    SimpleRNN,
    TimeDistributed,
)

EAGER = "pytorch/eager"


def test_the_last_output_is_the_state_after_the_last_step():
    text = said(EAGER, GRU(5, biases=2), Dense(3))
    assert "self.gru1 = nn.GRU(4, 5, batch_first=True)\n" in text
    assert "_, h = self.gru1(x)  # h: the state after the last step\n" in text
    assert "return self.fc1(h[-1])\n" in text
    assert "_, (h, _) = self.lstm1(x)" in said(EAGER, LSTM(5), Dense(3))


def test_two_directions_end_at_two_steps():
    text = said(EAGER, SimpleRNN(5, bidirectional=True), Dense(3))
    assert "nn.RNN(4, 5, batch_first=True, bidirectional=True)" in text
    assert "x = torch.cat([h[0], h[1]], dim=1)\n" in text
    assert "self.fc1 = nn.Linear(10, 3)" in text


def test_every_step_is_the_first_result():
    text = said(EAGER, LSTM(5, sequence=True), Dropout(0.2), TimeDistributed(2), LastStep())
    assert "x, _ = self.lstm1(x)\n        x = self.drop1(x)\n        x = self.fc1(x)\n" in text
    assert "return x[:, -1]\n" in text


def test_one_bias_is_two_with_one_at_zero():
    text = said(EAGER, LSTM(5, sequence=True), GRU(3, biases=2), Dense(3))
    assert text.count("def one_bias(rnn):") == 1
    assert "self.lstm1 = one_bias(nn.LSTM(4, 5, batch_first=True))" in text
    assert "self.gru1 = nn.GRU(5, 3, batch_first=True)" in text
    assert "one_bias" not in said(EAGER, LSTM(5, biases=2), Dense(3))


def test_sequences_are_joined_along_their_features():
    steps = [LSTM(2, sequence=True)], [GRU(3, sequence=True)]
    assert "torch.cat([branch1, branch2], dim=2)" in said(EAGER, Concat(*steps), GRU(2))
    ends = [LSTM(2)], [GRU(3)]
    assert "torch.cat([branch1, branch2], dim=1)" in said(EAGER, Concat(*ends), Dense(2))
    assert "y, _ = self.gru1(x)" in said(EAGER, Add([GRU(4, sequence=True)], []), LSTM(2))


def test_a_block_over_sequences_asks_for_its_features():
    text = said(EAGER, Embedding(VOCABULARY, 4), stage(4), stage(3), head(2), inputs=(9,))
    assert text.count("class Stage") == 1
    assert "self.stage2 = Stage(8, 3)" in text
    assert "self.lstm1 = one_bias(nn.LSTM(in_features, units, batch_first=True))" in text


@pytest.mark.parametrize("dialect", [EAGER, "pytorch/compile"])
def test_the_other_gru_is_refused_with_the_reason(dialect):
    reason = supports(workload((6, 4), GRU(5, reset_after=False), Dense(3)), dialects()[dialect])
    assert reason == "gru1: nn.GRU applies the reset gate after the product with the state"


def test_compiling_stops_at_recurrent_layers_and_says_so():
    text = said("pytorch/compile", LSTM(5), Dense(3))
    assert "compiles what forward does before its first recurrent layer" in text
    assert (
        "nn.GRU, and what a forward does after them, stay uncompiled"
        in dialects()["pytorch/compile"].meaning
    )


@pytest.mark.frameworks("pytorch")
def test_every_case_computes_what_the_model_means(tmp_path: Path):
    found = {
        name: (proof.outcome.status, proof.outcome.reason)
        for name, proof in proofs(EAGER, tmp_path).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


# The layers with one bias, whose other must not have moved; and that any layer was looked at.
AT_ZERO = """
second = [w for name, w in net.named_parameters() if "bias_hh" in name]
assert len([w for w in second if not w.requires_grad and not w.any()]) == 4, second
assert len([w for w in second if w.requires_grad and w.any()]) == 2, second
"""


@pytest.mark.frameworks("pytorch")
def test_weights_go_in_and_out_and_the_second_bias_stays_at_zero(tmp_path: Path):
    check_life(EAGER, CASES["in blocks"], tmp_path, AT_ZERO)
