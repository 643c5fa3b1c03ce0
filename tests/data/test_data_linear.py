"""P0's regression: the published recipe, number by number."""

from __future__ import annotations

import numpy as np
import pytest
from workloads_for import workload

from tensorstone.data.prepared.linear import FEATURES, SAMPLES, TESTED
from tensorstone.data.real import Real, available, real
from tensorstone.models import Data
from tensorstone.models.load import find
from tensorstone.support.errors import StoneError


@pytest.fixture(scope="module")
def made() -> Real:
    return real(find("mlp-regression"))


def test_mean_and_deviation_are_the_published_ones(made: Real) -> None:
    y = np.concatenate([made.train.y, made.test.y]).astype(np.float64)
    assert y.mean() == pytest.approx(19.234805, abs=1e-6)
    assert y.std(ddof=1) == pytest.approx(31.516783, abs=1e-6)


def test_the_split_is_scikit_learn_s(made: Real) -> None:
    """Its ShuffleSplit: the test samples are a permutation's first, the training ones the rest."""
    assert made.train.x.shape == (SAMPLES - TESTED, FEATURES)
    assert (made.test.x.shape, made.test.y.shape) == ((TESTED, FEATURES), (TESTED, 1))
    order = np.random.RandomState(42).permutation(SAMPLES)
    place = np.argsort(order)  # where a row of X went
    rows = np.random.RandomState(43).normal(size=(100, FEATURES)).astype(np.float32)
    judged = place[:100] < TESTED
    assert 0 < judged.sum() < 100
    assert np.array_equal(made.test.x[place[:100][judged]], rows[judged])
    assert np.array_equal(made.train.x[place[:100][~judged] - TESTED], rows[~judged])


def test_a_target_is_the_sum_over_features(made: Real) -> None:
    w = np.random.RandomState(42).normal(size=(2, FEATURES))
    for x, y in zip(made.test.x[:5].astype(np.float64), made.test.y, strict=False):
        assert (w[1] * x + w[0]).sum() == pytest.approx(float(y[0]), abs=1e-4)


def test_it_is_always_available_and_fixed_in_shape() -> None:
    assert available(find("mlp-regression"))
    other = workload(Data("linear", 90_000), (10,), 1, "mean-squared")
    with pytest.raises(StoneError, match="1000 inputs"):
        real(other)
