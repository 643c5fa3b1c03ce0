"""MLX's room: what only it says, and that what is said is meant."""

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
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
    FirstLast,
    Flatten,
    GlobalAvgPool2D,
    LastStep,
    LeakyReLU,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    RMSprop,
    Sigmoid,
    SimpleRNN,
    Softplus,
    TimeDistributed,
    Workload,
)
from tensorstone.models.recipe import Optimiser
from tensorstone.models.structure import Path as Parts

BOTH = ("mlx/eager", "mlx/compile")


def maps(*layers: Parts, optimiser: Optimiser | None = None) -> Workload:
    recipe = Recipe("mean-squared", optimiser or RMSprop(), batch=4, epochs=1, metric="mse")
    model = Model("Net", (4, 9, 9), layers)
    return Workload("case", "A case", model, recipe, Data("some", samples=64))


STEPWISE = workload(
    (3, 4),
    Add([GRU(4, sequence=True)], []),
    SimpleRNN(3, sequence=True, biases=2),
    Concat(
        LSTM(2, bidirectional=True, biases=2),
        GRU(3, bidirectional=True, biases=2),
        SimpleRNN(3),
        FirstLast(),
        [TimeDistributed(2), LastStep()],
    ),
    Dense(3),
)
CASES = {
    "steps": STEPWISE,
    "decay": maps(
        Conv2D(6, kernel=(3, 2), stride=(2, 1), padding=((1, 0), (0, 1)), groups=2),
        LeakyReLU(0.2),
        BatchNorm(momentum=0.8, epsilon=1e-3),
        MaxPool2D(3, stride=2, padding=((0, 1), (1, 0))),
        Dropout(0.3),
        Flatten(),
        BatchNorm(),
        Dense(2),
        optimiser=RMSprop(decay=0.2),
    ),
    "ahead": maps(
        AvgPool2D(2, stride=1, padding=1, count_padding=True),
        Sigmoid(),
        Conv2D(3, kernel=2, bias=False),
        MaxPool2D((2, 3), stride=(3, 2)),
        Softplus(),
        GlobalAvgPool2D(),
        Dense(2),
        optimiser=Momentum(0.05, 0.9, nesterov=True),
    ),
}


def test_a_compiled_step_says_what_it_reads_and_changes():
    text = source("keras-cnn", "mlx/compile") or ""
    assert "state = [net.state, optimizer.state, mx.random.state]" in text
    assert "@partial(mx.compile, inputs=state, outputs=state)" in text
    assert "mx.random" not in (source("lenet", "mlx/compile") or ""), "nothing is random there"
    assert "mx.compile" not in (source("keras-cnn", "mlx/eager") or "")


@pytest.mark.parametrize("dialect", BOTH)
def test_every_step_is_computed_before_the_next_is_described(dialect):
    text = source("lenet", dialect) or ""
    assert "        mx.eval(loss, net.state, optimizer.state)\n" in text


def test_adam_is_told_to_correct_its_bias():
    assert "bias_correction=True" in (source("lenet", "mlx/eager") or "")


def test_a_gru_has_the_biases_the_model_has():
    text = said("mlx/eager", GRU(5, sequence=True), GRU(3, biases=2), Dense(3))
    assert "self.gru1 = one_bias(nn.GRU(4, 5))" in text
    assert "self.gru2 = TwoBiasGRU(5, 3)" in text


def test_two_directions_are_two_layers():
    text = said("mlx/eager", LSTM(5, bidirectional=True, sequence=True), LastStep(), Dense(3))
    assert "self.lstm1 = Bidirectional(nn.LSTM(4, 5), nn.LSTM(4, 5))" in text
    assert "(ahead, _), (back, _) = self.lstm1(x)" in text


REFUSED = {
    "gru1: nn.GRU applies the reset gate after the product with the state": workload(
        (6, 4), GRU(5, reset_after=False), Dense(3)
    ),
    "pool1: nn.AvgPool2d counts padding in its mean": maps(
        AvgPool2D(2, padding=1), Flatten(), Dense(2)
    ),
    "leaky1: nn.leaky_relu is the larger of x and slope · x, which is another function for "
    "slopes above 1": maps(LeakyReLU(1.5), Flatten(), Dense(2)),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_it_cannot_say_is_refused_with_the_reason(reason):
    assert supports(REFUSED[reason], dialects()["mlx/eager"]) == reason
    assert emit(maps(LeakyReLU(1.0), Flatten(), Dense(2)), dialects()["mlx/eager"])


@pytest.mark.frameworks("mlx")
@pytest.mark.parametrize("dialect", BOTH)
def test_cases_compute_what_the_model_means(dialect, tmp_path: Path):
    found = {
        n: (p.outcome.status, p.outcome.reason) for n, p in proofs(dialect, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


# That a GRU with one bias has no other, and that its twin with two has both of its own.
BIASES = """
assert "bhn" not in net.gru1 and "state_bias" not in net.gru1
assert net.gru2.back.bhn.shape == (3,) and net.gru2.back.state_bias.shape == (6,)
"""


@pytest.mark.frameworks("mlx")
def test_weights_go_in_and_out(tmp_path: Path):
    check_life("mlx/compile", STEPWISE, tmp_path, BIASES)
