"""Each known deviation of a recurrent layer is what it would be if it were built that way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle_checks import check_gradients, check_layer, graph_of, random_weights

from tensorstone.models import GRU, LSTM, SGD, Adam, Embedding, Momentum, SimpleRNN
from tensorstone.models.shapes import Weight
from tensorstone.oracle import Case, forward, train

X = np.random.default_rng(0).normal(size=(3, 4, 2))


def both(layer, quirk, x=X):
    """A layer's weights and its output with the quirk, which is not the right one."""
    graph = graph_of(x.shape[1:], layer)
    weights = random_weights(graph, np.random.default_rng(1))
    odd = graph_of(x.shape[1:], layer, quirks=frozenset({quirk}))
    wrong = forward(odd, weights, x)
    assert wrong.shape == forward(graph, weights, x).shape
    assert not np.allclose(wrong, forward(graph, weights, x))
    return weights, wrong


def plain(layer, weights, x=X):
    return forward(graph_of(x.shape[1:], layer), weights, x)


def rearranged(weights, order, units):
    """The weights with the blocks of rows of each gate in another order."""
    rows = np.concatenate([np.arange(g * units, (g + 1) * units) for g in order])
    return {name: array[rows] for name, array in weights.items()}


@pytest.mark.parametrize(
    "layer, quirk, order",
    [
        (LSTM(3, biases=2), "gates-i-g-f-o", (0, 2, 1, 3)),
        (LSTM(3), "gates-i-f-o-g", (0, 1, 3, 2)),
        (GRU(3, biases=2), "gates-z-r-n", (1, 0, 2)),
    ],
)
def test_gates_in_another_order(layer, quirk, order):
    weights, wrong = both(layer, quirk)
    np.testing.assert_allclose(wrong, plain(layer, rearranged(weights, order, 3)), rtol=1e-12)


def test_a_negated_update_gate():
    layer = GRU(2, biases=2)
    weights, wrong = both(layer, "update-gate-negated")
    turned = {name: array.copy() for name, array in weights.items()}
    for array in turned.values():
        array[2:4] *= -1
    np.testing.assert_allclose(wrong, plain(layer, turned), rtol=1e-12)


def test_the_other_reset():
    weights, wrong = both(GRU(3), "reset-before")
    np.testing.assert_allclose(wrong, plain(GRU(3, reset_after=False), weights), rtol=1e-12)
    weights, wrong = both(GRU(3, reset_after=False), "reset-after")
    np.testing.assert_allclose(wrong, plain(GRU(3), weights), rtol=1e-12)


def test_forget_bias_one():
    weights, wrong = both(LSTM(2), "forget-bias-one")
    more = weights | {"lstm1.bias": weights["lstm1.bias"] + np.repeat([0, 1, 0, 0], 2)}
    np.testing.assert_allclose(wrong, plain(LSTM(2), more), rtol=1e-12)


def test_the_first_gate_s_bias_for_all():
    weights, wrong = both(LSTM(2), "first-gate-bias")
    shared = weights | {"lstm1.bias": np.tile(weights["lstm1.bias"][:2], 4)}
    np.testing.assert_allclose(wrong, plain(LSTM(2), shared), rtol=1e-12)
    check_layer(LSTM(2), (3, 2), seed=0, quirks=("first-gate-bias",))


def test_the_cell_state_returned():
    """An output gate that is open makes of it tanh of what is returned."""
    layer = LSTM(2, sequence=True)
    weights, wrong = both(layer, "cell-state-returned")
    x = X[:, :1]  # later steps would feel the open gate
    first = forward(graph_of((1, 2), layer), _open(weights), x)
    np.testing.assert_allclose(np.tanh(wrong[:, :1]), first, rtol=1e-12)


def _open(weights):
    return weights | {"lstm1.bias": weights["lstm1.bias"] + np.repeat([0, 0, 0, 100.0], 2)}


@pytest.mark.parametrize("kind", [SimpleRNN, LSTM, GRU])
def test_a_state_stuck_at_zero(kind):
    layer = kind(3, sequence=True)
    weights, wrong = both(layer, "state-stuck-at-zero")
    for t in range(4):
        np.testing.assert_allclose(wrong[:, t], plain(kind(3), weights, X[:, t : t + 1]), 1e-12)


@pytest.mark.parametrize("kind", [SimpleRNN, LSTM, GRU])
def test_a_cell_run_once(kind):
    layer = kind(3, bidirectional=True)
    weights, wrong = both(layer, "run-once")
    forwards, backwards = (plain(layer, weights, X[:, t]) for t in (slice(0, 1), slice(3, 4)))
    np.testing.assert_allclose(wrong[:, :3], forwards[:, :3], rtol=1e-12)
    np.testing.assert_allclose(wrong[:, 3:], backwards[:, 3:], rtol=1e-12)


@pytest.mark.parametrize("kind", [SimpleRNN, LSTM, GRU])
def test_the_batch_read_as_time(kind):
    weights, wrong = both(kind(3, sequence=True, bidirectional=True), "batch-as-time")
    turned = plain(kind(3, sequence=True, bidirectional=True), weights, X.swapaxes(0, 1))
    np.testing.assert_allclose(wrong, turned.swapaxes(0, 1), rtol=1e-12)
    weights, wrong = both(kind(3), "batch-as-time")
    turned = plain(kind(3, sequence=True), weights, X.swapaxes(0, 1))
    np.testing.assert_allclose(wrong, turned[-1], rtol=1e-12)  # the last step's, of each sample


def test_backward_directions():
    layer, every = GRU(2, bidirectional=True), GRU(2, bidirectional=True, sequence=True)
    weights, wrong = both(layer, "backward-first-step")
    right = plain(every, weights)
    np.testing.assert_allclose(wrong, right[:, -1], rtol=1e-12)
    _, wrong = both(every, "backward-outputs-reversed")
    np.testing.assert_allclose(wrong[..., :2], right[..., :2], rtol=1e-12)
    np.testing.assert_allclose(wrong[..., 2:], right[:, ::-1, 2:], rtol=1e-12)
    _, wrong = both(every, "backward-not-reversed")
    turned = plain(every, weights, X[:, ::-1])
    np.testing.assert_allclose(wrong[..., :2], right[..., :2], rtol=1e-12)
    np.testing.assert_allclose(wrong[..., 2:], turned[:, ::-1, 2:], rtol=1e-12)


@pytest.mark.parametrize("layer", [SimpleRNN(3), LSTM(3, bidirectional=True), GRU(3, biases=2)])
def test_missing_biases(layer):
    weights, wrong = both(layer, "missing-bias")
    none = {name: 0 * a if name.endswith("bias") else a for name, a in weights.items()}
    np.testing.assert_allclose(wrong, plain(layer, none), rtol=1e-12)


def test_padding_on_the_left():
    texts = np.array([[3, 1, 0, 0], [0, 2, 0, 0], [1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 0, 1]])
    moved = np.array([[0, 0, 3, 1], [0, 0, 0, 2], [1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 0, 1]])
    weights, wrong = both(Embedding(5, 2), "padding-left", texts)
    np.testing.assert_array_equal(wrong, weights["embed1.table"][moved])


def grown(layer, role, shape):
    """The layer's graph with one more weight in each direction."""
    graph = graph_of((4, 2), layer)
    (node,) = graph.nodes
    roles = [f"{side}{role}" for side in layer.directions]
    added = tuple(Weight(f"{node.name}.{role}", role, shape) for role in roles)
    return replace(graph, nodes=(replace(node, weights=(*node.weights, *added)),))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_gradient_of_peepholes(bidirectional):
    rng = np.random.default_rng(2)
    graph = grown(LSTM(3, True, bidirectional), "peepholes", (3, 3))
    y = rng.normal(size=(3, 4, 6 if bidirectional else 3))
    case = Case(graph, "half-squared", SGD(0.1), 3)
    check_gradients(case, random_weights(graph, rng), X, y, rng)


def test_peepholes_of_one_unit_by_arithmetic():
    def squashed(value):
        return 1 / (1 + np.exp(-value))

    graph = grown(LSTM(1, sequence=True), "peepholes", (3, 1))
    weights = {
        "lstm1.input": np.zeros((4, 2)),
        "lstm1.recurrent": np.zeros((4, 1)),
        "lstm1.bias": np.array([0.0, 0.0, 1.0, 0.0]),
        "lstm1.peepholes": np.array([[2.0], [3.0], [5.0]]),
    }
    c, expected = 0.0, []
    for _ in range(4):
        c = squashed(3 * c) * c + squashed(2 * c) * np.tanh(1)
        expected.append(squashed(5 * c) * np.tanh(c))
    found = forward(graph, weights, X)
    np.testing.assert_allclose(found[..., 0], [expected] * 3, rtol=1e-12)


@pytest.mark.parametrize("layer", [SimpleRNN(3), LSTM(3, bidirectional=True), GRU(3)])
def test_a_second_bias_where_one_is_meant(layer):
    """It begins at zero and changes nothing, until it is trained."""
    graph = grown(layer, "recurrent_bias", (layer.gates * layer.units,))
    rng = np.random.default_rng(3)
    weights = random_weights(graph, rng)
    silent = {n: 0 * a if n.endswith("recurrent_bias") else a for n, a in weights.items()}
    np.testing.assert_allclose(forward(graph, silent, X), plain(layer, weights), rtol=1e-12)
    y = rng.normal(size=(3, layer.features))
    check_gradients(Case(graph, "half-squared", SGD(0.1), 3), weights, X, y, rng)


@pytest.mark.parametrize("optimiser", [Momentum(0.1), Adam(0.1)], ids=["momentum", "adam"])
def test_lazy_rows(optimiser):
    graph = graph_of((1,), Embedding(3, 2))
    weights = random_weights(graph, np.random.default_rng(4))
    x, y = np.array([[1], [2], [1]]), np.zeros((3, 1, 2))

    def rows(*quirks, count=3):
        case = Case(graph, "half-squared", optimiser, 1, quirks=frozenset(quirks))
        return train(case, weights, x[:count], y[:count]).weights["embed1.table"]

    start = weights["embed1.table"]
    np.testing.assert_array_equal(rows("lazy-rows")[0], start[0])  # never seen
    np.testing.assert_array_equal(rows("lazy-rows", count=2)[1], rows(count=1)[1])
    assert not np.allclose(rows(count=2)[1], rows(count=1)[1])  # what it remembers moves it on
    assert not np.allclose(rows("lazy-rows")[1], rows()[1])
