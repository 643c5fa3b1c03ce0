"""Layers over sequences: their shapes and weights, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
    Add,
    BatchNorm,
    Concat,
    Conv2D,
    Data,
    Dense,
    Embedding,
    FirstLast,
    Flatten,
    LastStep,
    Model,
    Recipe,
    SimpleRNN,
    Softmax,
    TimeDistributed,
    Workload,
)
from tensorstone.models.load import find
from tensorstone.support.errors import StoneError


def refused(make: Callable[[], object]) -> str:
    with pytest.raises(StoneError) as caught:
        make()
    assert caught.value.hint
    return caught.value.message


@pytest.mark.parametrize(
    "layers, outputs",
    [
        ([GRU(4)], (4,)),
        ([GRU(4, sequence=True)], (5, 4)),
        ([LSTM(4, bidirectional=True)], (8,)),
        ([LSTM(4, bidirectional=True, sequence=True)], (5, 8)),
        ([SimpleRNN(4, sequence=True), LastStep()], (4,)),
        ([FirstLast()], (6,)),
        ([TimeDistributed(2)], (5, 2)),
        ([Flatten()], (15,)),
        ([Concat([GRU(4, sequence=True)], [])], (5, 7)),
        ([Add([GRU(3, sequence=True)], [])], (5, 3)),
    ],
)
def test_what_becomes_of_five_steps_of_three(layers: list[Any], outputs: tuple[int, ...]) -> None:
    assert Model("Net", (5, 3), layers).outputs == outputs


@pytest.mark.parametrize("kind, gates", [(SimpleRNN, 1), (LSTM, 4), (GRU, 3)])
@pytest.mark.parametrize("biases", [1, 2])
@pytest.mark.parametrize("both", [False, True])
def test_every_gate_has_its_rows(kind: Any, gates: int, biases: int, both: bool) -> None:
    model = Model("Net", (5, 3), [kind(4, bidirectional=both, biases=biases)])
    directions = ("", "backward_") if both else ("",)
    names = ("bias",) if biases == 1 else ("input_bias", "recurrent_bias")
    rows = 4 * gates
    shapes = {"input": (rows, 3), "recurrent": (rows, 4), **dict.fromkeys(names, (rows,))}
    assert [(weight.role, weight.shape) for weight in model.weights] == [
        (f"{side}{role}", shape) for side in directions for role, shape in shapes.items()
    ]
    assert model.parameters == len(directions) * rows * (3 + 4 + biases)


def test_a_table_has_a_row_for_every_token() -> None:
    model = Model("Net", (5,), [Embedding(9, 2), GRU(3)])
    assert model.vocabulary == 9
    assert model.weights[0].name == "embed1.table"
    assert model.weights[0].shape == (9, 2)
    assert Model("Net", (5, 2), [GRU(3)]).vocabulary is None


def test_layers_are_counted_by_their_kind() -> None:
    layers = [LSTM(2, sequence=True), GRU(2, sequence=True), LSTM(2, sequence=True), SimpleRNN(2)]
    names = [node.name for node in Model("Net", (5, 3), layers).graph.nodes]
    assert names == ["lstm1", "gru1", "lstm2", "rnn1"]


@pytest.mark.parametrize("junk", [True, 2.0, "2", None, 0, -1])
@pytest.mark.parametrize(
    "make",
    [
        lambda n: GRU(n, name="x1"),
        lambda n: LSTM(2, biases=n, name="x1"),
        lambda n: Embedding(n, 2, name="x1"),
        lambda n: Embedding(2, n, name="x1"),
        lambda n: TimeDistributed(n, name="x1"),
    ],
)
def test_sizes_are_positive_whole_numbers(make: Callable[[Any], object], junk: Any) -> None:
    assert refused(lambda: make(junk)).startswith("x1: ")


@pytest.mark.parametrize("field", ["sequence", "bidirectional", "reset_after"])
@pytest.mark.parametrize("junk", [1, "yes", None])
def test_switches_are_switches(field: str, junk: Any) -> None:
    assert field in refused(lambda: GRU(2, **{field: junk}))


REFUSED = {
    "3 biases": lambda: LSTM(2, biases=3),
    "two biases": lambda: GRU(2, biases=2, reset_after=False),
    "GRU wants time × features": lambda: Model("Net", (5,), [GRU(2)]),
    "LSTM wants time × features": lambda: Model("Net", (5, 3), [GRU(2), LSTM(2)]),
    "LastStep wants time × features": lambda: Model("Net", (5, 3), [GRU(2), LastStep()]),
    "FirstLast wants time × features": lambda: Model("Net", (3, 4, 4), [FirstLast()]),
    "Dense wants a flat input": lambda: Model("Net", (5, 3), [Dense(2)]),
    "Conv2D wants channels": lambda: Model("Net", (5, 3), [Conv2D(2, 3)]),
    "BatchNorm over a sequence": lambda: Model("Net", (5, 3), [BatchNorm()]),
    "Softmax over a sequence": lambda: Model("Net", (5, 3), [Softmax()]),
    "embed1 is not the first layer": lambda: Model("Net", (5, 3), [Embedding(9, 2)]),
    "embed2 is not the first layer": lambda: Model("Net", (5,), [Embedding(9, 2), Embedding(9, 2)]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_fit_is_said(message: str) -> None:
    assert message in refused(REFUSED[message])


@pytest.mark.parametrize(
    "data",
    [
        Data("text", 64),
        Data("text", 64, values="tokens", vocabulary=8),
        Data("text", 64, vocabulary=9),
    ],
)
def test_data_and_model_agree_on_tokens(data: Data) -> None:
    model = Model("Net", (5,), [Embedding(9, 2), GRU(3), Dense(2)])
    recipe = Recipe("softmax-cross-entropy", SGD(0.1), 4, 1, "accuracy")
    right = Data("text", 64, values="tokens", vocabulary=9)
    assert Workload("w", "w", model, recipe, right)
    assert "an Embedding of 9 tokens" in refused(lambda: Workload("w", "w", model, recipe, data))


@pytest.mark.parametrize(
    "name, count",
    [
        ("gru-imdb", 30_000 * 125 + 300 * (125 + 100 + 2) + 202),
        ("lstm-imdb", 512 * (50 + 128 + 1) + 258),
        ("bilstm-imdb", 20_000 * 64 + 2 * 512 * (64 + 128 + 1) + 2 * 512 * (256 + 128 + 1) + 1026),
        ("lstm-series", 256 * (51 + 64 + 1) + 65 + 2),
        ("gru-series", 192 * (51 + 64 + 2) + 65 + 2),
        ("lstm-series-long", 256 * (1 + 64 + 1) + 65 + 2),
    ],
)
def test_the_workloads_counted_by_hand(name: str, count: int) -> None:
    workload = find(name)
    assert workload.model.parameters == count
    assert workload.parameters in (count, None)
