"""Paddle's words, what its three dialects differ in, and that all of them mean the model."""

from __future__ import annotations

from pathlib import Path

import pytest
from recurrent_cases import CASES, check_life, proofs, said, workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    SGD,
    Adam,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool2D,
    LeakyReLU,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    RMSprop,
    SimpleRNN,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    Workload,
)
from tensorstone.models.recipe import Optimiser
from tensorstone.models.structure import Path as Parts

DIALECTS = [dialect.name for dialect in frameworks()["paddle"].dialects]
DYGRAPH, TO_STATIC, STATIC = "paddle/dygraph", "paddle/to-static", "paddle/static"


def images(
    inputs: tuple[int, ...], *layers: Parts, loss: str = "mean-squared", by: Optimiser
) -> Workload:
    metric = "accuracy" if "entropy" in loss else "mse"
    return Workload(
        "case",
        "A case",
        Model("Net", inputs, list(layers)),
        Recipe(loss, by, batch=4, epochs=1, metric=metric),  # type: ignore[arg-type]
        Data("some", samples=64),
    )


# Every option of a layer, every loss and every optimiser, somewhere.
MAPS = {
    "convolutions": images(
        (4, 9, 8),
        Conv2D(6, (3, 2), stride=(2, 1), padding=((1, 0), (0, 2)), groups=2, bias=False),
        BatchNorm(momentum=0.8, epsilon=1e-3),
        LeakyReLU(0.2),
        Conv2D(4, 1),
        GELU(),
        MaxPool2D(3, 2, padding=1),
        Flatten(),
        Dense(5, bias=False),
        BatchNorm(),
        Softplus(),
        Dense(2),
        by=Momentum(0.05, 0.8, nesterov=True),
    ),
    "one-sided padding": images(
        (2, 9, 9),
        Concat(
            MaxPool2D(3, 2, padding=((0, 1), (1, 0))),
            AvgPool2D(3, 2, padding=((0, 1), (1, 0))),
            AvgPool2D(3, 2, padding=((1, 0), (0, 1)), count_padding=True),
        ),
        Conv2D(3, 2),
        Tanh(),
        AvgPool2D((3, 2), (1, 2), padding=1),
        GlobalAvgPool2D(),
        Dense(2),
        loss="absolute",
        by=RMSprop(1e-3, decay=0.1),
    ),
    "padding after the map that counts": images(
        (2, 6, 5),
        Conv2D(3, 1),
        AvgPool2D(3, 2, padding=((2, 2), (1, 2)), count_padding=True),
        AvgPool2D(2, 1, padding=((0, 1), (0, 0)), count_padding=True),
        Flatten(),
        Dense(2),
        by=SGD(0.1),
    ),
    "padding of more than half a kernel": images(
        (2, 6, 6),
        Conv2D(3, 3, padding=1),
        MaxPool2D(3, 2, padding=2),
        AvgPool2D(3, 1, padding=((2, 2), (2, 1)), count_padding=True),
        Softsign(),
        Flatten(),
        Dense(2),
        loss="half-squared",
        by=Adam(1e-3, 0.8, 0.99, 1e-6),
    ),
    "probabilities": images(
        (3, 5, 5),
        Conv2D(4, 2),
        Softmax(),
        Flatten(),
        Dense(1),
        loss="binary-cross-entropy",
        by=SGD(0.1),
    ),
}


def test_a_layer_is_traced_where_it_is_made():
    layers = LSTM(5), Dense(3)
    assert "    return paddle.jit.to_static(Net())\n" in said(TO_STATIC, *layers)
    assert "    return Net()\n" in said(DYGRAPH, *layers)
    assert "enable_static" not in said(TO_STATIC, *layers)


def test_a_static_network_and_its_learner_are_programs_over_the_same_names():
    text = said(STATIC, LSTM(5), Dense(3))
    assert 'x = static.data("x", [None, 6, 4])\n' in text
    assert 'y = static.data("y", [None], "int64")\n' in text
    assert text.count("unique_name.guard()") == 2
    # The learner's own initialisers must not run: the network has its weights by then.
    assert "with static.program_guard(program, static.Program()):\n" in text
    assert "net.parameters()" not in text


def test_all_four_sides_of_a_padding_are_said_where_they_differ():
    text = emit(MAPS["one-sided padding"], dialects()[DYGRAPH])
    assert "F.max_pool2d(x, 3, stride=2, padding=[0, 1, 1, 0])" in text
    assert "F.avg_pool2d(F.pad(x, [0, 1, 1, 0]), 3, stride=2)" in text
    assert "stride=(1, 2), padding=1)" in text


def test_one_bias_is_two_with_one_that_does_not_move():
    text = said(DYGRAPH, LSTM(5, sequence=True), GRU(3, biases=2), Dense(3))
    assert text.count("ZERO = paddle.ParamAttr(") == 1
    assert "self.lstm1 = nn.LSTM(4, 5, bias_hh_attr=ZERO)\n" in text
    assert "self.gru1 = nn.GRU(5, 3)\n" in text
    assert "ZERO" not in said(DYGRAPH, LSTM(5, biases=2), Dense(3))


def test_two_directions_end_at_two_steps():
    text = said(DYGRAPH, SimpleRNN(5, bidirectional=True, biases=2), Dense(3))
    assert 'nn.SimpleRNN(4, 5, direction="bidirect")' in text
    assert "x = paddle.concat([h[0], h[1]], axis=1)\n" in text


def test_sequences_are_joined_along_their_features():
    steps = [LSTM(2, sequence=True)], [GRU(3, sequence=True), Dropout(0.1)]
    assert "paddle.concat([branch1, branch2], axis=2)" in said(DYGRAPH, Concat(*steps), GRU(2))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_other_gru_is_refused_with_the_reason(dialect):
    reason = supports(workload((6, 4), GRU(5, reset_after=False), Dense(3)), dialects()[dialect])
    assert reason == "gru1: nn.GRU applies the reset gate after the product with the state"


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_case_computes_what_the_model_means(dialect: str, tmp_path: Path):
    cases = {**MAPS, **CASES}
    found = {
        n: (p.outcome.status, p.outcome.reason) for n, p in proofs(dialect, tmp_path, cases).items()
    }
    assert found == dict.fromkeys(cases, ("ok", ""))


# The layers with one bias, whose other must not have moved; and that any layer was looked at.
AT_ZERO = """
held = dict(bridge._held(net))
second = [np.array(tensor) for name, tensor in held.items() if name.endswith(".b_1")]
assert sorted(bool(bias.any()) for bias in second) == [False] * 4 + [True] * 2, list(held)
"""


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", DIALECTS)
def test_weights_go_in_and_out_and_the_second_bias_stays_at_zero(dialect: str, tmp_path: Path):
    check_life(dialect, CASES["in blocks"], tmp_path, AT_ZERO)
