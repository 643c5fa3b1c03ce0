"""Each known deviation changes the numbers, to what it would be if it were built that way."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_checks import graph_of, random_weights

from tensorstone.models import SGD, AvgPool2D, Conv2D, Dense, Flatten, MaxPool2D, ReLU
from tensorstone.oracle import CONVENTIONS, RECIPE_QUIRKS, Case, forward, gradients, quirks_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 2, 6, 7)) - 3


def both(layer, quirk, x=X, weights=None):
    """A layer's output as it should be and with the quirk, and its weights."""
    graph = graph_of(x.shape[1:], layer)
    weights = weights or random_weights(graph, np.random.default_rng(1))
    odd = graph_of(x.shape[1:], layer, quirks=frozenset({quirk}))
    right, wrong = forward(graph, weights, x), forward(odd, weights, x)
    assert right.shape != wrong.shape or not np.allclose(right, wrong)
    return weights, wrong


def plain(layer, weights, x=X):
    return forward(graph_of(x.shape[1:], layer), weights, x)


def test_flipped_kernel():
    layer = Conv2D(3, (3, 2))
    weights, wrong = both(layer, "flipped-kernel")
    flipped = weights | {"conv1.weight": weights["conv1.weight"][:, :, ::-1, ::-1]}
    np.testing.assert_allclose(wrong, plain(layer, flipped), rtol=1e-12)


@pytest.mark.parametrize("layer, name", [(Conv2D(3, 3), "conv1"), (Dense(3), "fc1")])
def test_missing_bias(layer, name):
    x = X if name == "conv1" else X.reshape(2, -1)
    weights, wrong = both(layer, "missing-bias", x)
    none = weights | {f"{name}.bias": np.zeros(3)}
    np.testing.assert_allclose(wrong, plain(layer, none, x), rtol=1e-12)
    graph = graph_of(x.shape[1:], layer, quirks=frozenset({"missing-bias"}))
    case = Case(graph, "half-squared", SGD(0.1), 2)
    _, found, _ = gradients(case, weights, x, np.zeros_like(wrong))
    np.testing.assert_array_equal(found[f"{name}.bias"], 0)


def test_hwc_flatten():
    _, wrong = both(Flatten(), "hwc-flatten")
    np.testing.assert_array_equal(wrong, np.moveaxis(X, 1, -1).reshape(2, -1))


@pytest.mark.parametrize(
    "kind, given, moved",
    [
        (lambda p: Conv2D(3, 3, padding=p), ((0, 1), (2, 1)), ((1, 0), (1, 2))),
        (lambda p: Conv2D(3, 3, 2, padding=p), 1, ((0, 2), (0, 2))),
        (lambda p: Conv2D(3, 7, 2, padding=p), 3, ((0, 6), (0, 6))),
        (lambda p: MaxPool2D(3, 2, p), 1, ((0, 2), (0, 2))),
        (lambda p: AvgPool2D(4, 2, p), 2, ((1, 3), (1, 3))),  # no window of padding alone
        (lambda p: AvgPool2D(3, 2, p), ((1, 0), (0, 1)), ((0, 1), (1, 0))),
    ],
)
def test_padding_side(kind, given, moved):
    weights, wrong = both(kind(given), "padding-side")
    np.testing.assert_allclose(wrong, plain(kind(moved), weights), rtol=1e-12)


def test_counted_padding():
    _, wrong = both(AvgPool2D(3, 2, 1), "padding-counted")
    np.testing.assert_array_equal(wrong, plain(AvgPool2D(3, 2, 1, True), {}))
    _, wrong = both(AvgPool2D(3, 2, 1, True), "padding-not-counted")
    np.testing.assert_array_equal(wrong, plain(AvgPool2D(3, 2, 1), {}))


def test_ceil_mode_is_padding_after_the_map():
    _, wrong = both(MaxPool2D(3, 2), "ceil-mode")
    np.testing.assert_array_equal(wrong, plain(MaxPool2D(3, 2, ((0, 1), (0, 0))), {}))


def test_a_quirk_nobody_knows_is_refused():
    graph = graph_of((3,), ReLU(), quirks=frozenset({"ceil-mode"}))
    with pytest.raises(ValueError, match="ReLU has no quirk ceil-mode"):
        forward(graph, {}, np.zeros((1, 3)))
    good = graph_of((3,), ReLU())
    with pytest.raises(ValueError, match="unknown recipe quirk: half-loss"):
        Case(good, "half-squared", SGD(0.1), 1, quirks=frozenset({"half-loss"}))
    with pytest.raises(ValueError, match="unknown convention: mine"):
        Case(good, "half-squared", SGD(0.1), 1, conventions=frozenset({"mine"}))


def test_what_can_go_wrong_is_listed():
    assert quirks_of(Conv2D(1, 1)) == {"flipped-kernel", "padding-side", "missing-bias"}
    assert quirks_of(ReLU()) == set()
    assert all(CONVENTIONS[name].name == name for name in CONVENTIONS)
    assert "weight-decay" in RECIPE_QUIRKS


def test_a_case_has_one_key():
    def case(quirks=(), **changes):
        graph = graph_of((1, 6, 6), Conv2D(2, 3, padding=1), quirks=frozenset(quirks))
        return Case(
            **{"graph": graph, "loss": "absolute", "optimiser": SGD(0.1), "batch": 2} | changes
        )

    assert case().key == case().key
    others = [
        case(quirks=["missing-bias"]),
        case(loss="half-squared"),
        case(optimiser=SGD(0.2)),
        case(batch=3),
        case(conventions=frozenset({"batchnorm-unbiased-variance"})),
        case(graph=graph_of((1, 6, 6), Conv2D(2, 3))),
    ]
    assert len({case().key, *(other.key for other in others)}) == 1 + len(others)
