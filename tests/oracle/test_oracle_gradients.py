"""Every layer's and every loss's gradient against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_checks import check_gradients, check_layer, random_weights

from tensorstone.models import (
    GELU,
    SGD,
    Add,
    AvgPool2D,
    BatchNorm,
    Concat,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool2D,
    LeakyReLU,
    MaxPool2D,
    Model,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    block,
)
from tensorstone.models import layers as layers_module
from tensorstone.models.recipe import LOSSES
from tensorstone.oracle import Case
from tensorstone.oracle.operations import OPERATIONS
from tensorstone.oracle.run import with_input_gradient

quick = settings(max_examples=150)
seeds = st.integers(0, 2**32 - 1)
few = st.integers(1, 3)
flags = st.booleans()
ACTIVATIONS = [
    ReLU(),
    LeakyReLU(0.2),
    LeakyReLU(0.0),
    Tanh(),
    Sigmoid(),
    Softsign(),
    Softplus(),
    GELU(),
    SiLU(),
    Softmax(),
]


@st.composite
def windows(draw, *, pooling: bool):
    """A kernel, stride and padding of their own on each axis and side, and a map they fit."""
    kernel = (draw(few), draw(few))
    stride = (draw(few), draw(few))
    most = [k - 1 if pooling else 2 for k in kernel]
    sides = tuple((draw(st.integers(0, m)), draw(st.integers(0, m))) for m in most)
    size = tuple(draw(st.integers(k, k + 4)) for k in kernel)
    return kernel, stride, sides, size


@quick
@given(
    windows(pooling=False), few, few, few, flags, seeds, st.sampled_from(["", "flipped", "side"])
)
def test_convolution(window, groups, inputs, outputs, bias, seed, quirk):
    kernel, stride, sides, size = window
    layer = Conv2D(groups * outputs, kernel, stride, sides, groups, bias)
    quirks = {"": (), "flipped": ("flipped-kernel",), "side": ("padding-side",)}[quirk]
    check_layer(layer, (groups * inputs, *size), seed, quirks=quirks)


@quick
@given(windows(pooling=True), few, seeds, st.sets(st.sampled_from(["ceil-mode", "padding-side"])))
def test_max_pooling(window, channels, seed, quirks):
    kernel, stride, sides, size = window
    check_layer(MaxPool2D(kernel, stride, sides), (channels, *size), seed, quirks=tuple(quirks))


@quick
@given(
    windows(pooling=True),
    few,
    flags,
    seeds,
    st.sets(st.sampled_from(["ceil-mode", "padding-side", "padding-counted"])),
)
def test_average_pooling(window, channels, counted, seed, quirks):
    kernel, stride, sides, size = window
    layer = AvgPool2D(kernel, stride, sides, counted)
    check_layer(layer, (channels, *size), seed, quirks=tuple(quirks))


@quick
@given(few, few, few, seeds, st.sampled_from(["", "unbiased-variance"]))
def test_batch_normalisation_of_maps(channels, high, wide, seed, quirk):
    check_layer(BatchNorm(), (channels, high, wide), seed, 4, (quirk,) if quirk else ())


@pytest.mark.parametrize(
    "layer, shape, quirks",
    [
        (Dense(3), (5,), ()),
        (Dense(3, bias=False), (5,), ()),
        (BatchNorm(), (3,), ()),
        (BatchNorm(epsilon=0.1), (3,), ("unbiased-variance",)),
        (GlobalAvgPool2D(), (3, 2, 4), ()),
        (Flatten(), (3, 2, 4), ()),
        (Flatten(), (3, 2, 4), ("hwc-flatten",)),
        (Flatten(), (6,), ("hwc-flatten",)),
        (Dropout(0.4), (3, 2, 4), ()),
        (Dropout(0.0), (6,), ()),
    ],
)
def test_other_layers(layer, shape, quirks):
    check_layer(layer, shape, seed=1, samples=5, quirks=quirks)


@pytest.mark.parametrize("shape", [(7,), (3, 2, 2)])
@pytest.mark.parametrize("layer", ACTIVATIONS, ids=lambda layer: layer.kind)
def test_activations(layer, shape):
    check_layer(layer, shape, seed=2, samples=3)


@pytest.mark.parametrize(
    "quirks", [frozenset(), frozenset({"sum-over-batch"})], ids=["mean", "sum"]
)
@pytest.mark.parametrize("loss", LOSSES)
def test_losses(loss, quirks):
    rng = np.random.default_rng(3)
    graph = Model("Probe", (4,), [Dense(3)]).graph
    x = rng.normal(size=(5, 4))
    y = {
        "softmax-cross-entropy": rng.integers(0, 3, 5),
        "binary-cross-entropy": rng.integers(0, 2, (5, 3)),
    }.get(loss, rng.normal(size=(5, 3)))
    case = Case(graph, loss, SGD(0.1), 5, quirks=quirks)
    check_gradients(case, random_weights(graph, rng), x, y, rng)


@block
def inception(c1, c2):
    return [
        Concat(
            Conv2D(c1, 1),
            [Conv2D(c2, 1), Tanh(), Conv2D(c1 + c2, 3, padding=1)],
            [AvgPool2D(3, 1, 1), Conv2D(c2, 1, bias=False)],
        ),
        Softplus(),
    ]


# Smooth and keeping height and width, so that any of them may stand on any path.
SMOOTH = [
    Tanh(),
    Sigmoid(),
    GELU(),
    BatchNorm(),
    Softmax(),
    Dropout(0.3),
    AvgPool2D(3, 1, 1),
    Conv2D(3, 3, padding=1),
    Conv2D(2, 2, padding=((1, 0), (0, 1))),
    inception(1, 2),
]
paths = st.lists(st.sampled_from(SMOOTH), max_size=3)
forks = st.one_of(
    st.lists(paths, min_size=1, max_size=3).map(lambda found: Concat(*found)),
    st.lists(paths, min_size=1, max_size=2).map(
        lambda found: [Conv2D(2, 1), Add([], *([*path, Conv2D(2, 1)] for path in found))]
    ),
)


@settings(max_examples=30)
@given(st.lists(forks, min_size=1, max_size=3), seeds)
def test_branching_graphs_with_blocks(body, seed):
    rng = np.random.default_rng(seed)
    layers = [part for fork in body for part in (fork if isinstance(fork, list) else [fork])]
    graph = Model("Branchy", (2, 3, 4), [*layers, GlobalAvgPool2D(), Dense(3)]).graph
    x = rng.normal(size=(3, 2, 3, 4))
    case = Case(graph, "softmax-cross-entropy", SGD(0.1), 3)
    weights = {name: 0.5 * array for name, array in random_weights(graph, rng).items()}
    check_gradients(case, weights, x, rng.integers(0, 3, 3), rng)


def test_a_network_with_kinks():
    rng = np.random.default_rng(5)
    residual = Add([], [Conv2D(4, 3, padding=1), BatchNorm(), ReLU()])
    layers = [Conv2D(4, 3), ReLU(), MaxPool2D(3, 1, 1), residual, Flatten(), Dense(3), LeakyReLU()]
    graph = Model("Kinked", (2, 6, 6), layers).graph
    x = rng.normal(size=(3, 2, 6, 6))
    case = Case(graph, "mean-squared", SGD(0.1), 3)
    check_gradients(case, random_weights(graph, rng), x, rng.normal(size=(3, 3)), rng)


def test_gradients_choose_one_side_of_a_kink():
    case = Case(Model("Kink", (2,), [ReLU()]).graph, "half-squared", SGD(0.1), 1)
    *_, dx = with_input_gradient(case, {}, np.array([[0.0, 1.0]]), np.full((1, 2), -1.0))
    np.testing.assert_array_equal(dx, [[0.0, 1.0]])
    case = Case(Model("Bent", (2,), [LeakyReLU(0.5)]).graph, "half-squared", SGD(0.1), 1)
    *_, dx = with_input_gradient(case, {}, np.array([[0.0, 1.0]]), np.full((1, 2), -1.0))
    np.testing.assert_array_equal(dx, [[0.25, 1.0]])
    case = Case(Model("Tied", (1, 2, 2), [MaxPool2D(2)]).graph, "half-squared", SGD(0.1), 1)
    tied = np.array([[[[0.0, 3.0], [3.0, 3.0]]]])
    *_, dx = with_input_gradient(case, {}, tied, np.zeros((1, 1, 1, 1)))
    np.testing.assert_array_equal(dx, [[[[0.0, 3.0], [0.0, 0.0]]]])
    case = Case(Model("Met", (2,), [Dropout(0.0)]).graph, "absolute", SGD(0.1), 1)
    *_, dx = with_input_gradient(case, {}, np.array([[1.0, 2.0]]), np.array([[1.0, 0.0]]))
    np.testing.assert_array_equal(dx, [[0.0, 0.5]])


def test_every_layer_has_an_operation():
    known = {
        kind
        for kind in vars(layers_module).values()
        if isinstance(kind, type)
        and issubclass(kind, layers_module.Layer)
        and not kind.__name__.startswith("_")
        and kind not in (layers_module.Layer, layers_module.Activation)
    }
    assert known < set(OPERATIONS)
