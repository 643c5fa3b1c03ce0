"""Images as workloads read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tiny_sets import TEST, TRAIN, images
from workloads_for import workload

from tensorstone.data.prepared.images import prepare
from tensorstone.models import Data
from tensorstone.support.errors import StoneError


def arrays() -> dict[str, np.ndarray]:
    train, test = images((3, 4, 4), TRAIN, 0), images((3, 4, 4), TEST, 1)
    return {"train_x": train[0], "train_y": train[1], "test_x": test[0], "test_y": test[1]}


def data(samples: int = TRAIN, **values: Any) -> Data:
    return Data("cifar10", samples, **values)


def test_raw_pixels_are_exact_and_the_first_samples_train() -> None:
    real = prepare(workload(data(10, values="uniform", low=0.0, high=255.0), (3, 4, 4)), arrays())
    assert np.array_equal(real.train.x, arrays()["train_x"][:10])
    assert real.train.x.dtype == np.float32
    assert np.array_equal(real.train.y, arrays()["train_y"][:10])
    assert real.train.y.dtype == np.int64
    assert np.array_equal(real.test.x, arrays()["test_x"])
    assert real.note == (
        "raw pixels, 0 to 255; the first 10 of 12 training images, judged on 5 others"
    )


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0)])
def test_pixels_fill_the_range_the_workload_names(low: float, high: float) -> None:
    real = prepare(workload(data(values="uniform", low=low, high=high), (48,)), arrays())
    expected = low + arrays()["train_x"].reshape(TRAIN, 48) / 255 * (high - low)
    assert real.train.x.shape == (TRAIN, 48)
    assert np.allclose(real.train.x, expected, atol=1e-6)


def test_standardised_pixels_follow_the_training_images_alone() -> None:
    real = prepare(workload(data(10, values="normal"), (3, 4, 4)), arrays())
    assert np.allclose(real.train.x.mean(axis=(0, 2, 3)), 0, atol=1e-5)
    assert np.allclose(real.train.x.std(axis=(0, 2, 3)), 1, atol=1e-5)
    changed = arrays()
    changed["train_x"][10:] = 0
    changed["test_x"][:] = 0
    again = prepare(workload(data(10, values="normal"), (3, 4, 4)), changed)
    assert np.array_equal(real.train.x, again.train.x)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (workload(data(), (3, 5, 5)), "(3, 5, 5)"),
        (workload(data(), (3, 4, 4), outputs=7), "10 classes"),
        (workload(data(), (3, 4, 4), outputs=10, loss="mean-squared"), "mean-squared"),
        (workload(data(13), (3, 4, 4)), "13 training samples"),
    ],
)
def test_a_workload_that_does_not_fit_is_a_mistake(made: Any, said: str) -> None:
    with pytest.raises(StoneError) as caught:
        prepare(made, arrays())
    assert said in caught.value.message
    assert caught.value.hint
