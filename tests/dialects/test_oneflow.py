"""OneFlow's room: what only it says, and that what is said is meant."""

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
    Adam,
    Add,
    Concat,
    Data,
    Dense,
    Dropout,
    FirstLast,
    LastStep,
    LeakyReLU,
    Model,
    Recipe,
    RMSprop,
    SimpleRNN,
    TimeDistributed,
    Workload,
)
from tensorstone.models.recipe import Optimiser
from tensorstone.models.structure import Path as Parts

BOTH = ("oneflow/eager", "oneflow/graph")


def vector(*layers: Parts, optimiser: Optimiser) -> Workload:
    recipe = Recipe("mean-squared", optimiser, batch=4, epochs=1, metric="mse")
    return Workload("case", "A case", Model("Net", (6,), layers), recipe, Data("some", samples=64))


STEPWISE = workload(
    (3, 4),
    Add([GRU(4, sequence=True)], []),
    Concat(
        LSTM(2, bidirectional=True, biases=2),
        SimpleRNN(3),
        FirstLast(),
        [TimeDistributed(2), LastStep()],
    ),
    Dense(3),
)
CASES = {
    "steps": STEPWISE,
    "decay": vector(Dense(5), LeakyReLU(0.2), Dropout(0.3), Dense(2), optimiser=RMSprop(decay=0.2)),
}


def test_a_graph_holds_the_whole_step():
    text = source("lenet", "oneflow/graph") or ""
    assert "class Step(nn.Graph):" in text
    assert "self.add_optimizer(optimizer)\n" in text
    assert "optimizer.step()" not in text and "zero_grad" not in text
    assert "nn.Graph" not in (source("lenet", "oneflow/eager") or "")


@pytest.mark.parametrize("dialect", BOTH)
def test_rmsprop_is_said_so_that_epsilon_is_outside_the_root(dialect):
    text = source("keras-cnn", dialect) or ""
    assert "flow.optim.RMSprop" not in text
    assert "lr=1e-4, betas=(0, 0.9), eps=1e-7, do_bias_correction=False" in " ".join(text.split())


def test_a_graph_is_told_of_the_rates_decay_in_its_own_terms():
    decayed = vector(Dense(2), optimiser=RMSprop(decay=0.2))
    assert "inverse_time_conf" in emit(decayed, dialects()["oneflow/graph"])
    assert "LambdaLR(" in emit(decayed, dialects()["oneflow/eager"])
    assert "InverseTimeLR" not in emit(
        vector(Dense(2), optimiser=Adam()), dialects()["oneflow/graph"]
    )


@pytest.mark.parametrize("dialect", BOTH)
def test_the_other_gru_is_refused_with_the_reason(dialect):
    reason = supports(workload((6, 4), GRU(5, reset_after=False), Dense(3)), dialects()[dialect])
    assert reason == "gru1: nn.GRU applies the reset gate after the product with the state"


def test_one_bias_is_two_with_one_at_zero():
    text = said("oneflow/eager", LSTM(5, sequence=True), GRU(3, biases=2), Dense(3))
    assert "self.lstm1 = one_bias(nn.LSTM(4, 5, batch_first=True))" in text
    assert "self.gru1 = nn.GRU(5, 3, batch_first=True)" in text


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", BOTH)
def test_cases_compute_what_the_model_means(dialect, tmp_path: Path):
    found = {
        n: (p.outcome.status, p.outcome.reason) for n, p in proofs(dialect, tmp_path, CASES).items()
    }
    assert found == dict.fromkeys(CASES, ("ok", ""))


# The layers with one bias, whose other must not have moved; and that any layer was looked at.
AT_ZERO = """
second = [w for name, w in net.named_parameters() if "bias_hh" in name]
assert len([w for w in second if not w.requires_grad and not w.numpy().any()]) == 2, second
assert len([w for w in second if w.requires_grad and w.numpy().any()]) == 2, second
"""


@pytest.mark.frameworks
@pytest.mark.parametrize("dialect", BOTH)
def test_weights_go_in_and_out_and_the_second_bias_stays_at_zero(dialect, tmp_path: Path):
    check_life(dialect, STEPWISE, tmp_path, AT_ZERO)
