"""Baselines: the commonest class, and a linear model that only training samples shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.data import baseline as module
from tensorstone.data.baseline import baseline, least_squares, score
from tensorstone.data.real import Real, Split


def made(train_y: np.ndarray, test_y: np.ndarray, features: int = 3) -> Real:
    generator = np.random.default_rng(0)
    splits = [
        Split(generator.standard_normal((len(y), features), np.float32), y)
        for y in (train_y, test_y)
    ]
    return Real(*splits, note="")


def test_the_commonest_class_of_the_training_samples() -> None:
    real = made(np.array([2, 2, 2, 1, 0]), np.array([1, 1, 1, 2]))
    assert baseline(real, "accuracy") == 0.25
    column = made(np.float32([[0], [1], [1]]), np.float32([[1], [0]]))
    assert baseline(column, "accuracy") == 0.5


def test_a_linear_truth_is_found() -> None:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((300, 2, 4), np.float32)
    y = (x.reshape(300, 8) @ np.arange(8.0) + 5).astype(np.float32)[:, None]
    real = Real(Split(x[:200], y[:200]), Split(x[200:], y[200:]), "")
    assert baseline(real, "mse") < 1e-9
    assert baseline(real, "mae") < 1e-4
    assert baseline(real, "r2") == pytest.approx(1)


@given(st.integers(1, 60), st.integers(1, 6), st.integers(1, 13))
def test_chunks_give_what_the_whole_gives(samples: int, features: int, chunk: int) -> None:
    generator = np.random.default_rng(samples * 100 + features)
    x = generator.standard_normal((samples, features))
    y = generator.standard_normal((samples, 2))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_CHUNK", chunk)
        found = least_squares(Split(x, y))
    whole = np.linalg.lstsq(np.hstack([x, np.ones((samples, 1))]), y, rcond=None)[0]
    assert np.allclose(found, whole, atol=1e-6)


def test_columns_that_say_the_same_do_no_harm() -> None:
    x = np.repeat(np.arange(20.0)[:, None], 3, axis=1)
    real = Real(Split(x, x[:, :1]), Split(x + 1, x[:, :1] + 1), "")
    assert baseline(real, "mse") < 1e-12


def test_r2_has_its_arguments_the_right_way_round() -> None:
    truth, predicted = np.array([[0.0], [2.0], [4.0]]), np.array([[1.0], [2.0], [3.0]])
    assert score(truth, predicted, "r2") == pytest.approx(1 - 2 / 8)
    assert score(predicted, truth, "r2") == pytest.approx(1 - 2 / 2)
    assert score(truth, np.full((3, 1), 2.0), "r2") == pytest.approx(0)


def test_an_unknown_metric_is_not_invented() -> None:
    with pytest.raises(ValueError, match="f1"):
        baseline(made(np.zeros((9, 1)), np.zeros((2, 1))), "f1")
