"""float32 is float32 from the input to the last update, and close to float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    SGD,
    Adam,
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
    Model,
    Momentum,
    ReLU,
    RMSprop,
    Sigmoid,
    SiLU,
    SimpleRNN,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    TimeDistributed,
)
from tensorstone.models.graph import Graph
from tensorstone.models.recipe import LOSSES
from tensorstone.oracle import Arrays, Case, activations, forward, gradients, train
from tensorstone.oracle import run as run_module
from tensorstone.oracle.losses import loss_and_slope
from tensorstone.oracle.operations import OPERATIONS

EVERYTHING = [
    Conv2D(4, 3, padding=1, groups=2),
    BatchNorm(),
    ReLU(),
    MaxPool2D(3, 2, 1),
    Concat([AvgPool2D(3, 1, 1), Tanh()], [Conv2D(3, 1), GELU()], Softplus()),
    Add([], [Softsign(), LeakyReLU()], [Sigmoid(), SiLU(), AvgPool2D(3, 1, 1, True)]),
    Dropout(0.2),
    Concat(Flatten(), GlobalAvgPool2D()),
    BatchNorm(epsilon=1.0),  # three samples vary little: a small epsilon would magnify rounding
    Dense(4),
    Softmax(),
    Dense(3),
]
OVER_SEQUENCES = [
    Embedding(9, 4),
    LSTM(3, sequence=True, bidirectional=True, biases=2),
    Concat([SimpleRNN(3, sequence=True)], [TimeDistributed(2)]),
    Concat([GRU(3, biases=2)], [GRU(2, reset_after=False)], [LastStep()], [FirstLast()]),
    Dense(3),
]
RNG = np.random.default_rng(0)


def weighted(graph: Graph) -> Arrays:
    return {
        weight.name: RNG.uniform(0.5, 1, weight.shape)
        if weight.role in ("gamma", "variance")
        else 0.3 * RNG.normal(size=weight.shape)
        for weight in graph.weights
    }


GRAPH = Model("Everything", (2, 8, 8), EVERYTHING).graph
READER = Model("Reader", (7,), OVER_SEQUENCES).graph
WEIGHTS = {GRAPH: weighted(GRAPH), READER: weighted(READER)}
X = {GRAPH: RNG.normal(size=(6, 2, 8, 8)), READER: RNG.integers(0, 9, (6, 7))}
OPTIMISERS = [SGD(0.1), Momentum(0.1), Momentum(0.1, nesterov=True), Adam(), RMSprop(decay=0.1)]


def targets(loss: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    if loss == "softmax-cross-entropy":
        return rng.integers(0, 3, 6)
    return rng.integers(0, 2, (6, 3)).astype(float)


@pytest.fixture
def watched(monkeypatch):
    """Every array any layer makes, forwards, backwards and in what it saves."""
    seen = []

    def note(value):
        if isinstance(value, np.ndarray):
            seen.append(value)
        elif isinstance(value, dict):
            for item in value.values():
                note(item)
        elif isinstance(value, tuple | list):
            for item in value:
                note(item)
        elif hasattr(value, "__dict__"):
            note(vars(value))

    def watching(function):
        def watch(*args):
            result = function(*args)
            note(result)
            return result

        return watch

    real = run_module.operation

    def operation(node):
        found = real(node)
        return replace(found, forward=watching(found.forward), backward=watching(found.backward))

    monkeypatch.setattr(run_module, "operation", operation)
    return seen


def test_the_models_have_every_layer():
    assert {type(node.layer) for node in (*GRAPH.nodes, *READER.nodes)} == set(OPERATIONS)


either = pytest.mark.parametrize("graph", [GRAPH, READER], ids=["maps", "sequences"])


@either
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_layer_changes_precision(watched, dtype, graph):
    weights, x = WEIGHTS[graph], X[graph]
    case = Case(graph, "softmax-cross-entropy", SGD(0.1), 6)
    _, found, statistics = gradients(case, weights, x, targets(case.loss), dtype)
    assert {array.dtype for array in watched if array.dtype.kind == "f"} == {np.dtype(dtype)}
    assert {array.dtype for array in (found | statistics).values()} == {np.dtype(dtype)}
    assert {out.dtype for out in activations(graph, weights, x, dtype)} == {np.dtype(dtype)}
    assert forward(graph, weights, x, dtype).dtype == dtype
    assert [out.shape[1:] for out in activations(graph, weights, x, dtype)] == [
        node.shape for node in graph.nodes
    ]


@pytest.mark.parametrize("loss", LOSSES)
def test_no_loss_changes_precision(loss):
    z = RNG.normal(size=(6, 3)).astype(np.float32)
    value, slope = loss_and_slope(loss, z, targets(loss))
    assert slope.dtype == np.float32
    assert np.float32(value) == value


@either
@pytest.mark.parametrize("convention", [(), ("adam-epsilon-before-correction",)])
@pytest.mark.parametrize("optimiser", OPTIMISERS, ids=lambda o: type(o).__name__)
def test_training_in_float32_stays_there_and_close(optimiser, convention, graph):
    case = Case(graph, "softmax-cross-entropy", optimiser, 3, frozenset(convention))
    given = WEIGHTS[graph], X[graph], targets(case.loss)
    rough, exact = (train(case, *given, dtype, True) for dtype in (np.float32, np.float64))
    assert {array.dtype for array in rough.weights.values()} == {np.dtype(np.float32)}
    assert all(np.float32(loss) == loss for loss in rough.losses)
    np.testing.assert_allclose(rough.losses, exact.losses, rtol=1e-5)
    assert rough.losses != exact.losses
    scale = max(np.abs(array).max() for array in exact.gradients[0].values())
    for name, array in exact.gradients[0].items():
        np.testing.assert_allclose(rough.gradients[0][name], array, atol=1e-5 * scale)
