"""Synthetic samples: the right shapes, the same for a seed, and learnable."""

import numpy as np
import pytest

from tensorstone.data.synthetic import synthetic
from tensorstone.models import (
    SGD,
    Conv2D,
    Data,
    Dense,
    Flatten,
    GlobalAvgPool2D,
    Model,
    Recipe,
    Workload,
)
from tensorstone.models.load import find


def made(loss: str, *layers: object, inputs: tuple[int, ...] = (3, 9, 7)) -> Workload:
    metric = "accuracy" if "entropy" in loss else "mse"
    recipe = Recipe(loss, SGD(0.1), batch=8, epochs=1, metric=metric)
    return Workload("made", "Made", Model("Made", inputs, list(layers)), recipe, Data("made", 64))


@pytest.mark.parametrize("name", ["mlp-regression", "lenet", "cnn-cifar10", "googlenet"])
def test_the_canonical_arrays(name: str) -> None:
    workload = find(name)
    x, y = synthetic(workload, 6, seed=1)
    assert x.shape == (6, *workload.model.inputs)
    assert x.dtype == np.float32
    if workload.classifies:
        assert (y.dtype, y.shape) == (np.int64, (6,))
        assert 0 <= y.min() <= y.max() < workload.model.outputs[0]
    else:
        assert (y.dtype, y.shape) == (np.float32, (6, 1))


def test_values_are_drawn_as_the_workload_says() -> None:
    raw, _ = synthetic(find("lenet"), 50, seed=0)
    assert 0 <= raw.min() < 1
    assert 254 < raw.max() <= 255
    assert abs(raw.mean() - 127.5) < 2
    normal, _ = synthetic(find("mlp-regression"), 200, seed=0)
    assert abs(normal.mean()) < 0.02
    assert abs(normal.std() - 1) < 0.02


def test_binary_targets_are_zeros_and_ones() -> None:
    _, y = synthetic(made("binary-cross-entropy", GlobalAvgPool2D(), Dense(3)), 200, seed=0)
    assert (y.dtype, y.shape) == (np.float32, (200, 3))
    assert set(np.unique(y)) == {0.0, 1.0}
    assert (abs(y.mean(axis=0) - 0.5) < 0.2).all()


def test_targets_of_maps_are_maps() -> None:
    _, y = synthetic(made("absolute", Conv2D(2, 3)), 5, seed=0)
    assert (y.dtype, y.shape) == (np.float32, (5, 2, 7, 5))


def test_a_seed_decides_everything_and_more_begins_as_fewer() -> None:
    workload = find("lenet")
    x, y = synthetic(workload, 40, seed=3)
    again, few, other = (synthetic(workload, n, s) for n, s in ((40, 3), (10, 3), (40, 4)))
    assert np.array_equal(x, again[0])
    assert np.array_equal(y, again[1])
    assert np.array_equal(x[:10], few[0])
    assert np.array_equal(y[:10], few[1])
    assert not np.array_equal(x, other[0])


def test_labels_are_spread_over_the_classes() -> None:
    for name in ("lenet", "mlp-mnist", "cnn-cifar10"):
        _, y = synthetic(find(name), 2000, seed=0)
        shares = np.bincount(y, minlength=10) / len(y)
        assert shares.min() > 0.01, name
        assert shares.max() < 0.3, name


def test_a_linear_model_learns_the_classes_of_other_samples() -> None:
    """The teacher is one for all seeds: what is learnt on one helps on another."""
    workload = find("mlp-mnist")
    x, y = synthetic(workload, 12_000, seed=0)
    unseen, answers = synthetic(workload, 500, seed=1)
    centred = x - np.float32(0.5)
    weights = np.linalg.solve(centred.T @ centred, centred.T @ np.eye(10, dtype=np.float32)[y])
    accuracy = (((unseen - 0.5) @ weights).argmax(axis=1) == answers).mean()
    assert accuracy > 0.6  # guessing gives 0.1


def test_regression_targets_are_a_linear_function_of_variance_near_one() -> None:
    workload = made("mean-squared", Flatten(), Dense(4))
    x, y = synthetic(workload, 400, seed=0)
    flat = x.reshape(400, -1)
    residual = y - flat @ np.linalg.lstsq(flat, y, rcond=None)[0]
    assert np.abs(residual).max() < 1e-3
    assert (abs(y.std(axis=0) - 1) < 0.5).all()
