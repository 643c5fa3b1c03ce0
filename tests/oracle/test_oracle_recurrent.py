"""Recurrent layers: their gradients by finite differences, their formulas step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_checks import check_gradients, check_layer, graph_of, random_weights

from tensorstone.models import (
    GRU,
    LSTM,
    SGD,
    Add,
    Concat,
    Dense,
    Dropout,
    Embedding,
    FirstLast,
    Flatten,
    LastStep,
    Model,
    SimpleRNN,
    Tanh,
    TimeDistributed,
)
from tensorstone.models import layers as layers_module
from tensorstone.models import recurrent as recurrent_module
from tensorstone.models.recipe import LOSSES
from tensorstone.oracle import Case, forward, gradients, quirks_of
from tensorstone.oracle.operations import OPERATIONS

seeds = st.integers(0, 2**32 - 1)
few = st.integers(1, 4)
flags = st.booleans()
KINDS = (SimpleRNN, LSTM, GRU)


@st.composite
def recurrent_layers(draw):
    kind = draw(st.sampled_from(KINDS))
    settings = {"sequence": draw(flags), "bidirectional": draw(flags), "biases": draw(st.just(1))}
    if kind is GRU:
        settings["reset_after"] = draw(flags)
    if settings.get("reset_after", True):
        settings["biases"] = draw(st.integers(1, 2))
    return kind(draw(few), **settings)


@settings(max_examples=150)
@given(recurrent_layers(), few, few, few, seeds)
def test_gradients_through_time(layer, time, features, samples, seed):
    check_layer(layer, (time, features), seed, samples)


@settings(max_examples=150)
@given(st.data(), recurrent_layers(), few, few, few, seeds)
def test_gradients_through_time_with_a_quirk(data, layer, time, features, samples, seed):
    quirk = data.draw(st.sampled_from(sorted(quirks_of(layer))))
    check_layer(layer, (time, features), seed, samples, (quirk,))


@pytest.mark.parametrize(
    "layer",
    [
        LastStep(),
        FirstLast(),
        TimeDistributed(3),
        TimeDistributed(2, bias=False),
        Flatten(),
        Tanh(),
        Dropout(0.4),
        Concat([TimeDistributed(2)], [Tanh()]),
        Add([], [Tanh()]),
    ],
    ids=lambda layer: type(layer).__name__,
)
@pytest.mark.parametrize("time", [1, 2, 5])
def test_gradients_of_layers_over_sequences(layer, time):
    check_layer(layer, (time, 3), seed=time, samples=3)


@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "softmax-cross-entropy"])
def test_losses_of_sequences(loss):
    rng = np.random.default_rng(4)
    graph = Model("Tagger", (5, 2), [GRU(3, sequence=True), TimeDistributed(2)]).graph
    x, y = rng.normal(size=(3, 5, 2)), rng.integers(0, 2, (3, 5, 2)).astype(float)
    check_gradients(Case(graph, loss, SGD(0.1), 3), random_weights(graph, rng), x, y, rng)


@settings(max_examples=50)
@given(st.lists(recurrent_layers(), min_size=1, max_size=3), flags, seeds)
def test_gradients_of_stacked_layers(layers, ends, seed):
    rng = np.random.default_rng(seed)
    stacked = [type(layer)(**(vars(layer) | {"sequence": True, "name": None})) for layer in layers]
    parts = [*stacked, Dropout(0.3), FirstLast() if ends else LastStep(), Dense(3)]
    graph = Model("Stack", (4, 2), parts).graph
    case = Case(graph, "softmax-cross-entropy", SGD(0.1), 3)
    x, y = rng.normal(size=(3, 4, 2)), rng.integers(0, 3, 3)
    check_gradients(case, random_weights(graph, rng), x, y, rng)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def by_hand(layer, weights, x, side=""):
    """One sequence, unit by unit and step by step, as the definitions say it."""
    rows = range(layer.gates * layer.units)
    w, u = weights[f"{side}input"], weights[f"{side}recurrent"]
    b, d = weights.get(f"{side}bias"), weights.get(f"{side}recurrent_bias")
    b = weights[f"{side}input_bias"] if b is None else b
    d = np.zeros(len(w)) if d is None else d
    h, c, outputs = [0.0] * layer.units, [0.0] * layer.units, []

    def product(k, state):
        return sum(u[k][j] * state[j] for j in range(layer.units)) + d[k]

    for step in x:
        a = [sum(w[k][j] * step[j] for j in range(len(step))) + b[k] for k in rows]
        gate = [[a[g * layer.units + k] for k in range(layer.units)] for g in range(layer.gates)]
        new = []
        for k in range(layer.units):
            at = [g * layer.units + k for g in range(layer.gates)]
            if isinstance(layer, SimpleRNN):
                new.append(math.tanh(a[k] + product(k, h)))
            elif isinstance(layer, LSTM):
                i, f, g, o = (gate[n][k] + product(at[n], h) for n in range(4))
                c[k] = sigmoid(f) * c[k] + sigmoid(i) * math.tanh(g)
                new.append(sigmoid(o) * math.tanh(c[k]))
            else:
                r = [
                    sigmoid(gate[0][j] + product(j, h)) for j in range(layer.units)
                ]  # every unit's: before the product all of them are needed
                z = sigmoid(gate[1][k] + product(at[1], h))
                reset = [rj * hj for rj, hj in zip(r, h, strict=True)]
                inner = r[k] * product(at[2], h) if layer.reset_after else product(at[2], reset)
                n = math.tanh(gate[2][k] + inner)
                new.append((1 - z) * n + z * h[k])
        h = new
        outputs.append(h)
    return np.array(outputs)


@settings(max_examples=100)
@given(recurrent_layers(), few, few, seeds)
def test_the_formulas_step_by_step(layer, time, features, seed):
    rng = np.random.default_rng(seed)
    graph = graph_of((time, features), layer)
    weights = random_weights(graph, rng)
    x = rng.normal(size=(2, time, features))
    roles = {name.partition(".")[2]: array for name, array in weights.items()}
    for sample, found in zip(x, forward(graph, weights, x), strict=True):
        parts = [by_hand(layer, roles, sample)]
        if layer.bidirectional:
            parts.append(by_hand(layer, roles, sample[::-1], "backward_")[::-1])
        if not layer.sequence:
            parts = [parts[0][-1], *(part[0] for part in parts[1:])]
        np.testing.assert_allclose(found, np.concatenate(parts, axis=-1), rtol=1e-12)


def test_a_gru_by_arithmetic():
    """Weights of zero leave the biases: r = σ(0), z = σ(log 3) = ¾, n = tanh(1 + r·b′)."""
    layer = GRU(1, biases=2, sequence=True)
    weights = {
        "gru1.input": np.zeros((3, 1)),
        "gru1.recurrent": np.zeros((3, 1)),
        "gru1.input_bias": np.array([0.0, math.log(3), 1.0]),
        "gru1.recurrent_bias": np.array([0.0, 0.0, 4.0]),
    }
    n = math.tanh(3)
    found = forward(graph_of((2, 1), layer), weights, np.ones((1, 2, 1)))
    np.testing.assert_allclose(found.ravel(), [n / 4, n / 4 + 0.75 * n / 4], rtol=1e-15)


def test_an_lstm_by_arithmetic():
    """Only biases: i = ½, f = ¾, g = tanh 1, o = ½."""
    layer = LSTM(1, sequence=True)
    weights = {
        "lstm1.input": np.zeros((4, 1)),
        "lstm1.recurrent": np.zeros((4, 1)),
        "lstm1.bias": np.array([0.0, math.log(3), 1.0, 0.0]),
    }
    c = [math.tanh(1) / 2, 0.75 * math.tanh(1) / 2 + math.tanh(1) / 2]
    found = forward(graph_of((2, 1), layer), weights, np.ones((1, 2, 1)))
    np.testing.assert_allclose(found.ravel(), [math.tanh(s) / 2 for s in c], rtol=1e-15)


@settings(max_examples=60)
@given(st.sampled_from(KINDS), flags, st.integers(1, 2), few, few, seeds)
def test_both_directions_are_two_layers(kind, sequence, biases, time, units, seed):
    """One on the sequence, one on the sequence turned round."""
    rng = np.random.default_rng(seed)
    both = graph_of((time, 2), kind(units, sequence, True, biases))
    one = graph_of((time, 2), kind(units, sequence, False, biases))
    weights = random_weights(both, rng)
    stem = one.nodes[0].name
    x, y = rng.normal(size=(3, time, 2)), rng.normal(size=(3, *both.outputs))
    halves = []
    for side, turn in (("", slice(None)), ("backward_", slice(None, None, -1))):
        own = {w.name: weights[w.name.replace(".", f".{side}")] for w in one.weights}
        found = forward(one, own, x[:, turn])
        halves.append(found[:, turn] if sequence else found)
        target = np.split(y, 2, axis=-1)[len(halves) - 1]
        case = Case(one, "half-squared", SGD(0.1), 3, quirks=frozenset({"sum-over-batch"}))
        _, alone, _ = gradients(case, own, x[:, turn], target[:, turn] if sequence else target)
        case = Case(both, "half-squared", SGD(0.1), 3, quirks=frozenset({"sum-over-batch"}))
        _, together, _ = gradients(case, weights, x, y)
        for name, g in alone.items():
            role = name.removeprefix(f"{stem}.")
            # The loss is a mean over twice as many outputs.
            np.testing.assert_allclose(2 * together[f"{stem}.{side}{role}"], g, 1e-9, 1e-12)
    np.testing.assert_allclose(forward(both, weights, x), np.concatenate(halves, -1), 1e-12)


@settings(max_examples=60)
@given(st.integers(1, 6), few, few, few, seeds)
def test_the_gradient_of_an_embedding(vocabulary, features, time, samples, seed):
    """Each token's row collects what flows to every place the token stands at."""
    rng = np.random.default_rng(seed)
    graph = graph_of((time,), Embedding(vocabulary, features))
    tokens = rng.integers(0, vocabulary, (samples, time))
    weights = random_weights(graph, rng)
    table = weights["embed1.table"]
    np.testing.assert_array_equal(forward(graph, weights, tokens), table[tokens])
    y = rng.normal(size=(samples, time, features))
    case = Case(graph, "half-squared", SGD(0.1), samples)
    expected = np.zeros_like(table)
    for place in np.ndindex(samples, time):
        expected[tokens[place]] += (table[tokens[place]] - y[place]) / y.size
    for given_as in (np.int64, np.float32):
        _, found, _ = gradients(case, weights, tokens.astype(given_as), y)
        np.testing.assert_allclose(found["embed1.table"], expected, 1e-9, 1e-12)


def test_a_sequence_is_flattened_step_after_step():
    x = np.arange(12.0).reshape(1, 4, 3)
    np.testing.assert_array_equal(
        forward(graph_of((4, 3), Flatten()), {}, x), np.arange(12.0)[None]
    )


def test_paths_of_sequences_are_concatenated_by_their_features():
    graph = graph_of((4, 3), Concat([Tanh()], [], [Tanh()]))
    x = np.random.default_rng(0).normal(size=(2, 4, 3))
    expected = np.concatenate([np.tanh(x), x, np.tanh(x)], axis=2)
    np.testing.assert_array_equal(forward(graph, {}, x), expected)


def test_every_layer_over_sequences_has_an_operation():
    known = {
        kind
        for kind in vars(recurrent_module).values()
        if isinstance(kind, type) and issubclass(kind, layers_module.Layer)
    }
    assert known - set(OPERATIONS) == {layers_module.Layer, recurrent_module.Recurrent}
