"""Convolution and pooling against the loops a textbook writes."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_checks import graph_of, random_weights

from tensorstone.models import AvgPool2D, Conv2D, MaxPool2D
from tensorstone.oracle import convolution, forward

quick = settings(max_examples=80)
few = st.integers(1, 3)
seeds = st.integers(0, 2**32 - 1)


def six_loops(x, kernels, bias, stride, sides, groups):
    (top, bottom), (left, right) = sides
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    outputs, inputs, kh, kw = kernels.shape
    high = (x.shape[2] - kh) // stride[0] + 1
    wide = (x.shape[3] - kw) // stride[1] + 1
    y = np.zeros((len(x), outputs, high, wide))
    for n, o, r, c in np.ndindex(y.shape):
        group = o // (outputs // groups)
        total = bias[o]
        for i, u, v in np.ndindex(inputs, kh, kw):
            pixel = x[n, group * inputs + i, r * stride[0] + u, c * stride[1] + v]
            total += pixel * kernels[o, i, u, v]
        y[n, o, r, c] = total
    return y


@quick
@given(st.data(), few, few, few, seeds)
def test_convolution_is_six_loops(data, groups, inputs, outputs, seed):
    kernel, stride = ((data.draw(few), data.draw(few)) for _ in range(2))
    sides = tuple((data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in range(2))
    size = tuple(data.draw(st.integers(k, k + 3)) for k in kernel)
    layer = Conv2D(groups * outputs, kernel, stride, sides, groups)
    graph = graph_of((groups * inputs, *size), layer)
    rng = np.random.default_rng(seed)
    weights = random_weights(graph, rng)
    x = rng.normal(size=(2, groups * inputs, *size))
    expected = six_loops(x, *weights.values(), stride, sides, groups)
    np.testing.assert_allclose(forward(graph, weights, x), expected, rtol=1e-12, atol=1e-12)


def test_samples_taken_apart_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    graph = graph_of((2, 5, 5), Conv2D(3, 3, padding=1))
    weights = random_weights(graph, rng)
    x = rng.normal(size=(5, 2, 5, 5))
    together = forward(graph, weights, x)
    monkeypatch.setattr(convolution, "_COLUMN_NUMBERS", 2 * 9 * 25 * 2)  # two samples at a time
    np.testing.assert_allclose(forward(graph, weights, x), together, rtol=1e-12)


def pooled(x, kernel, stride, sides, *, ceil, reduce):
    """Window by window: `reduce` gets the real values, and how many numbers padding would add."""
    size = x.shape[2:]
    counts = []
    for n, k, s, (before, after) in zip(size, kernel, stride, sides, strict=True):
        room = n + before + after - k
        count = (-(-room // s) if ceil else room // s) + 1
        while ceil and (count - 1) * s >= n + before:
            count -= 1
        counts.append(count)
    y = np.empty((*x.shape[:2], *counts))
    for n, c, r, q in np.ndindex(y.shape):
        axes, area = [], 1
        for at, k, s, (before, after), length in zip(
            (r, q), kernel, stride, sides, size, strict=True
        ):
            seen = range(at * s - before, min(at * s - before + k, length + after))
            area *= len(seen)
            axes.append([i for i in seen if 0 <= i < length])
        values = [x[n, c, i, j] for i, j in itertools.product(*axes)]
        y[n, c, r, q] = reduce(values, area)
    return y


@quick
@given(st.data(), st.booleans(), seeds)
def test_pooling_is_window_by_window(data, ceil, seed):
    kernel, stride = ((data.draw(few), data.draw(few)) for _ in range(2))
    sides = tuple(
        (data.draw(st.integers(0, k - 1)), data.draw(st.integers(0, k - 1))) for k in kernel
    )
    size = tuple(data.draw(st.integers(k, k + 5)) for k in kernel)
    x = np.random.default_rng(seed).normal(size=(2, 2, *size)) - 5  # zeros would win if they could
    quirks = frozenset({"ceil-mode"} if ceil else ())
    for layer, reduce in (
        (MaxPool2D(kernel, stride, sides), lambda values, area: max(values)),
        (AvgPool2D(kernel, stride, sides), lambda values, area: np.mean(values)),
        (AvgPool2D(kernel, stride, sides, True), lambda values, area: sum(values) / area),
    ):
        graph = graph_of((2, *size), layer, quirks=quirks)
        expected = pooled(x, kernel, stride, sides, ceil=ceil, reduce=reduce)
        np.testing.assert_allclose(forward(graph, {}, x), expected, rtol=1e-12)


def test_not_a_number_survives_max_pooling():
    x = np.array([[[[1.0, np.nan], [2.0, 3.0]]]])
    assert np.isnan(forward(graph_of((1, 2, 2), MaxPool2D(2)), {}, x)).all()
