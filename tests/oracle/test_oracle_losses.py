"""Losses and activations where a careless formula overflows or cancels."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_checks import graph_of

from tensorstone.models import GELU, Sigmoid, Softmax, Softplus
from tensorstone.oracle import forward
from tensorstone.oracle.losses import loss_and_slope

FAR = np.array([[-1000.0, -30.0, 0.0, 30.0, 1000.0]])


@pytest.fixture(autouse=True)
def strict():
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        yield


def test_softmax_cross_entropy_far_out():
    scores = np.array([[1000.0, 0.0], [0.0, 1000.0]])
    loss, slope = loss_and_slope("softmax-cross-entropy", scores, np.array([0, 0]))
    assert loss == 500
    np.testing.assert_array_equal(slope, [[0, 0], [-0.5, 0.5]])


def test_binary_cross_entropy_far_out():
    scores, targets = np.array([[1000.0, -1000.0, 40.0]]), np.array([[1.0, 1.0, 1.0]])
    loss, slope = loss_and_slope("binary-cross-entropy", scores, targets)
    assert loss == (1000 + np.exp(-40.0)) / 3
    tiny, _ = loss_and_slope("binary-cross-entropy", scores[:, 2:], targets[:, 2:])
    assert tiny == pytest.approx(np.exp(-40.0), rel=1e-12)  # not rounded away against 40
    np.testing.assert_allclose(slope, [[0, -1 / 3, 0]], atol=1e-15)


def test_the_means_are_over_batch_and_outputs():
    z, y = np.array([[1.0, 2.0], [3.0, 5.0]]), np.zeros((2, 2))
    for loss, total in (("mean-squared", 39), ("half-squared", 19.5), ("absolute", 11)):
        assert loss_and_slope(loss, z, y)[0] == total / 4
        assert loss_and_slope(loss, z, y, sum_over_batch=True)[0] == total / 2


def test_targets_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        loss_and_slope("mean-squared", np.zeros((3, 1)), np.zeros(3))
    with pytest.raises(ValueError, match="do not fit"):
        loss_and_slope("softmax-cross-entropy", np.zeros((3, 2)), np.zeros((3, 2)))


def test_activations_far_out():
    def of(layer):
        return forward(graph_of((5,), layer), {}, FAR)[0]

    np.testing.assert_allclose(
        of(Sigmoid()), [0, np.exp(-30) / (1 + np.exp(-30)), 0.5, 1 - 9.3576e-14, 1], rtol=1e-15
    )
    np.testing.assert_allclose(of(Softplus()), [0, np.exp(-30), np.log(2), 30, 1000], rtol=1e-12)
    np.testing.assert_allclose(of(Softmax()), [0, 0, 0, 0, 1])
    np.testing.assert_array_equal(of(GELU()), [0, 0, 0, 30, 1000])
    one = forward(graph_of((1,), GELU()), {}, np.array([[1.0]]))
    assert one[0, 0] == pytest.approx(0.8413447460685429, rel=1e-15)  # Φ(1), not its tanh likeness
