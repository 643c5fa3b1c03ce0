"""Initial weights: the same on every machine, and each layer's its own."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorstone.models import BatchNorm, Conv2D, Dense, Flatten, Init, Model, ReLU
from tensorstone.models.initial import initial_weights

BODY = [Conv2D(32, 3, groups=2), BatchNorm(), ReLU(), Flatten(), Dense(100, name="out")]
MODEL = Model("Net", (4, 8, 8), BODY)


@pytest.mark.parametrize("kind", ["xavier", "he", "constant"])
def test_every_weight_has_its_shape(kind: str) -> None:
    found = initial_weights(MODEL, Init(kind, value=0.25))
    assert {name: a.shape for name, a in found.items()} == {w.name: w.shape for w in MODEL.weights}
    assert {a.dtype for a in found.values()} == {np.dtype(np.float32)}
    assert list(found) == [w.name for w in MODEL.weights]


def test_what_is_not_drawn_is_fixed() -> None:
    found = initial_weights(MODEL, Init("he"))
    wanted = {"bias": 0, "gamma": 1, "beta": 0, "mean": 0, "variance": 1}
    for weight in MODEL.weights:
        if weight.role != "weight":
            assert (found[weight.name] == wanted[weight.role]).all()


def test_a_constant_is_constant() -> None:
    found = initial_weights(MODEL, Init("constant", value=0.25))
    assert (found["conv1.weight"] == np.float32(0.25)).all()
    assert (found["out.bias"] == 0).all()


@settings(max_examples=20)
@given(st.integers(0, 2**70), st.sampled_from(["xavier", "he"]))
def test_a_seed_decides_everything(seed: int, kind: str) -> None:
    once, again = (initial_weights(MODEL, Init(kind, seed=seed)) for _ in range(2))
    other = initial_weights(MODEL, Init(kind, seed=seed + 1))
    for name in once:
        assert np.array_equal(once[name], again[name])
    assert not np.array_equal(once["out.weight"], other["out.weight"])


def test_adding_a_layer_changes_no_other() -> None:
    longer = Model("Net", (4, 8, 8), [*BODY, ReLU(), Dense(3, name="extra")])
    before, after = initial_weights(MODEL, Init()), initial_weights(longer, Init())
    assert set(after) - set(before) == {"extra.weight", "extra.bias"}
    for name, array in before.items():
        assert np.array_equal(array, after[name])


def test_layers_of_one_shape_differ() -> None:
    found = initial_weights(Model("Twins", (50,), [Dense(50), Dense(50)]), Init())
    assert abs(np.corrcoef(found["fc1.weight"].ravel(), found["fc2.weight"].ravel())[0, 1]) < 0.1


def test_xavier_spans_its_interval_evenly() -> None:
    found = initial_weights(MODEL, Init("xavier"))
    # conv1 reads 4/2 channels × 3 × 3 and reaches 32 channels × 3 × 3; out reads 32 × 6 × 6.
    for name, fan in [("conv1.weight", 18 + 288), ("out.weight", 1152 + 100)]:
        array, limit = found[name], math.sqrt(6 / fan)
        assert 0.98 * limit < np.abs(array).max() <= limit * (1 + 1e-6)
        # Bounds at five standard errors of the mean and of the variance of as many draws.
        deviation = limit / math.sqrt(3)
        assert abs(array.mean()) < 5 * deviation / math.sqrt(array.size)
        assert abs(array.var() / deviation**2 - 1) < 5 * math.sqrt(0.8 / array.size)


def test_he_has_the_variance_of_its_fan_in() -> None:
    found = initial_weights(MODEL, Init("he"))
    for name, fan in [("conv1.weight", 18), ("out.weight", 1152)]:
        array = found[name]
        assert abs(array.mean()) < 5 * math.sqrt(2 / fan / array.size)
        assert abs(array.var() * fan / 2 - 1) < 5 * math.sqrt(2 / array.size)


def test_the_numbers_themselves_are_kept() -> None:
    """A change here changes every proof and every stored result: it must be meant."""
    xavier = initial_weights(Model("Kept", (3,), [Dense(2)]), Init("xavier", seed=7))
    he = initial_weights(Model("Kept", (3,), [Dense(2)]), Init("he", seed=7))
    assert np.allclose(
        xavier["fc1.weight"],
        [[0.63777673, 0.29373875, -0.50820595], [0.59599692, 0.42915472, -0.65252614]],
        rtol=1e-7,
        atol=0,
    )
    assert np.allclose(
        he["fc1.weight"],
        [[-0.58197021, 1.07861412, -0.36168951], [-1.07785153, -1.0310868, 0.25679907]],
        rtol=1e-7,
        atol=0,
    )
