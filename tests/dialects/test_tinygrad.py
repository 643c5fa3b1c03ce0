"""tinygrad's room: what only it says, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted import source
from recurrent_cases import check_life, proofs, said, workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    GRU,
    LSTM,
    Add,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    LeakyReLU,
    MaxPool2D,
    Model,
    Recipe,
    ReLU,
    RMSprop,
    SimpleRNN,
    Workload,
)
from tensorstone.models.structure import Path as Parts

JIT = "tinygrad/jit"


def maps(*layers: Parts) -> Workload:
    recipe = Recipe("mean-squared", RMSprop(decay=0.2), batch=4, epochs=1, metric="mse")
    model = Model("Net", (2, 6, 6), layers)
    return Workload("case", "A case", model, recipe, Data("some", samples=64))


BOTH_WAYS = workload((2, 3), LSTM(2, bidirectional=True, biases=2), Dense(3))
CASES = {
    "decay": maps(
        Conv2D(4, kernel=(3, 2), stride=(2, 1), padding=((1, 0), (0, 1)), groups=2),
        LeakyReLU(0.2),
        MaxPool2D(2, stride=1, padding=((0, 1), (1, 0))),
        Dropout(0.3),
        Flatten(),
        Dense(2),
    ),
    "both ways": BOTH_WAYS,
}


def test_the_whole_step_is_captured():
    text = source("lenet", JIT) or ""
    assert "    @TinyJit\n    @Context(TRAINING=1)\n    def step(x, y):\n" in text
    assert "return loss.realize(*optimizer.schedule_step())" in text


def test_a_loss_is_copied_before_the_next_step_overwrites_it():
    assert "[step(x, y).clone().realize() for x, y in batches]" in (source("lenet", JIT) or "")


def test_methods_are_called_on_a_sum_in_brackets():
    text = emit(maps(Add([Conv2D(2, 1)], []), ReLU(), Flatten(), Dense(2)), dialects()[JIT])
    assert "(y + x).relu()" in text


def test_sides_that_differ_are_said_from_the_left():
    padded = Conv2D(4, kernel=3, padding=((1, 2), (3, 4)))
    text = emit(maps(padded, Flatten(), Dense(2)), dialects()[JIT])
    assert "nn.Conv2d(2, 4, kernel_size=3, padding=(3, 4, 1, 2))" in text


def test_an_lstm_is_a_loop_over_its_cell_with_the_biases_the_model_has():
    one, two = (said(JIT, LSTM(5, biases=biases), Dense(3)) for biases in (1, 2))
    assert all("state = self.cell(x[:, t], state)" in text for text in (one, two))
    assert "self.cell.bias_hh = None" in one
    assert "bias_hh" not in two
    both = said(JIT, LSTM(5, sequence=True), LSTM(3, biases=2), Dense(3))
    assert "self.lstm2 = LSTM(5, 3, biases=2)" in both


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (GRU(5), "gru1: tinygrad has no GRU"),
        (SimpleRNN(5), "rnn1: tinygrad has no recurrent layer but the LSTM's cell"),
    ],
)
def test_what_it_has_not_is_refused_with_the_reason(layer, reason):
    assert supports(workload((6, 4), layer, Dense(3)), dialects()[JIT]) == reason


@pytest.mark.frameworks("tinygrad")
def test_cases_compute_what_the_model_means(tmp_path: Path):
    found = {
        n: (p.outcome.status, p.outcome.reason) for n, p in proofs(JIT, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


@pytest.mark.frameworks("tinygrad")
def test_weights_go_in_and_out(tmp_path: Path):
    check_life(JIT, BOTH_WAYS, tmp_path)
