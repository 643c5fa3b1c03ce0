"""Caffe2's room: what only it says, and that what is said is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted import source
from recurrent_cases import CASES, check_life, proofs, said, workload

from tensorstone.dialects.emit import emit, supports
from tensorstone.dialects.registry import dialects
from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
    Add,
    AvgPool2D,
    BatchNorm,
    Conv2D,
    Data,
    Dense,
    Embedding,
    Flatten,
    MaxPool2D,
    Model,
    Momentum,
    Recipe,
    ReLU,
    RMSprop,
    Softmax,
    Tanh,
    Workload,
    block,
)
from tensorstone.models.recipe import Loss, Optimiser
from tensorstone.models.structure import Path as Parts

BREW = "caffe2/brew"


def images(*layers: Parts, loss: Loss = "mean-squared", optimiser: Optimiser) -> Workload:
    recipe = Recipe(loss, optimiser, batch=4, epochs=1, metric="mse")
    model = Model("Net", (2, 7, 6), [*layers, Flatten(), Dense(3)])
    return Workload("case", "A case", model, recipe, Data("some", samples=64))


@block
def step(width: int) -> Parts:
    """Called as one of the room's own functions."""
    return [Conv2D(width, 3, padding=1), BatchNorm(), ReLU()]


MORE = {
    **{name: CASES[name] for name in ("in blocks", "joined")},
    "other gru": workload((6, 4), GRU(5, reset_after=False, bidirectional=True), Dense(3)),
    "windows": images(
        MaxPool2D((3, 2), stride=(1, 2), padding=((1, 0), (0, 1))),
        Conv2D(4, (2, 3), stride=(2, 1), padding=((0, 1), (1, 0)), groups=2, bias=False),
        Tanh(),
        AvgPool2D(2, stride=1, padding=((1, 0), (0, 0)), count_padding=True),
        loss="half-squared",
        optimiser=RMSprop(1e-2, 0.8, 1e-3, decay=0.1),
    ),
    "vectors": images(
        step(3),
        Flatten(),
        Dense(4, bias=False),
        BatchNorm(),
        ReLU(),
        loss="absolute",
        optimiser=Momentum(0.05, nesterov=True),
    ),
}


def test_one_set_of_parameters_and_two_nets():
    text = source("lenet", BREW) or ""
    assert 'ModelHelper(name="train", param_model=net)' in text
    assert "is_test" not in text  # nothing in it is another thing in training
    assert "is_test=is_test" in (source("cnn-cifar10", BREW) or "")


def test_flattening_is_left_to_fc():
    text = source("lenet", BREW) or ""
    assert "Flatten(" not in text
    assert '# FC flattens what it reads.\n    x = brew.fc(model, x, "fc1", 400, 120)\n' in text


def test_an_activation_writes_over_what_nothing_else_reads():
    text = said(BREW, Add([ReLU()], []), Flatten(), Dense(4), ReLU(), Dense(3))
    assert 'y = brew.relu(model, x, "relu1")\n' in text  # x is read again
    assert "x = brew.relu(model, x, x)\n" in text


def test_a_block_is_told_apart_from_the_rooms_own_functions():
    text = emit(images(step(3), optimiser=SGD(0.1)), dialects()[BREW])
    assert "def step_block(model, x, name, in_channels, width, is_test):" in text
    assert "def step(" not in text


def test_an_embedding_shows_the_optimiser_its_whole_gradient():
    text = said(BREW, Embedding(11, 4), LSTM(5), Dense(3), inputs=(9,))
    assert "table = model.net.EnsureDense(table, table)\n" in text


def test_softmax_over_the_channels_of_a_map_is_refused_with_the_reason():
    reason = supports(images(Softmax(), optimiser=SGD(0.1)), dialects()[BREW])
    assert reason == "softmax1: Caffe2's Softmax takes all axes but the batch as one"


def test_what_its_build_lacks_is_said():
    assert "without AVX" in dialects()[BREW].note


@pytest.mark.frameworks("caffe2")
def test_cases_compute_what_the_model_means(tmp_path: Path):
    found = {
        name: (p.outcome.status, p.outcome.reason)
        for name, p in proofs(BREW, tmp_path, MORE).items()
    }
    assert found == dict.fromkeys(MORE, ("ok", ""))


# The layers with one bias, whose others must not have moved; and that any layer was looked at.
AT_ZERO = """
from caffe2.python import workspace

second = [blob for blob in workspace.Blobs() if blob.endswith("_t_b")]
still = [blob for blob in second if not workspace.FetchBlob(blob).any()]
assert len(still) == 4 and len(second) == 10, (still, second)
"""


@pytest.mark.frameworks("caffe2")
def test_weights_go_in_and_out_and_the_second_bias_stays_at_zero(tmp_path: Path):
    check_life(BREW, CASES["in blocks"], tmp_path, AT_ZERO)


# Adam's first step is the rate, whatever the gradient: Caffe2's own takes 0.74 of it.
FIRST_STEP = """
import numpy as np

net = program.network()
bridge.write(net, layers, weights)
program.train(program.learner(net), program.batches(x[:4], y[:4], 4))
moved = np.abs(bridge.read(net, layers)["fc1.bias"] - weights["fc1.bias"])
np.testing.assert_allclose(moved, 1e-3, rtol=1e-2)
"""


@pytest.mark.frameworks("caffe2")
def test_adam_takes_its_first_step_whole(tmp_path: Path):
    check_life(BREW, workload((6, 4), LSTM(5), Dense(3)), tmp_path, FIRST_STEP)
