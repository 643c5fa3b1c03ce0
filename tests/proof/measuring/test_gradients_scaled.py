"""Gradients that are multiples of what they should be, clipped, or have weights added."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from gradient_cases import BATCH, DOUBLE, SINGLE, TOLERANCES, changed, evidence

from tensorstone.proof.measuring.gradients import GradientEvidence, describe_gradients

pytestmark = pytest.mark.parametrize("tolerance", TOLERANCES)
ORDER = evidence().order
CONV, FIRST, LAST = ("conv1", "fc1", "fc2")


def _says(given: GradientEvidence) -> tuple[str, str | None, str | None]:
    found = describe_gradients(given)
    assert found is not None
    assert found.residual <= given.tolerance
    return found.says, found.place, found.name


@pytest.mark.parametrize("seed", range(10))
def test_a_right_program_has_nothing(tolerance: float, seed: int) -> None:
    assert describe_gradients(evidence(tolerance=tolerance, seed=seed)) is None


@pytest.mark.parametrize("seed", range(10))
def test_a_program_wrong_in_no_simple_way_has_nothing(tolerance: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    given = evidence(tolerance=tolerance, seed=seed)
    size = 10.0 ** -draw.integers(0, 4)
    wrong = changed(given, lambda n, g: g * (1 + size * draw.normal(size=g.shape)), loss=0.9)
    assert describe_gradients(wrong) is None


def test_rounding_three_times_too_large_has_nothing(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    assert describe_gradients(changed(given, lambda n, g: g * (1 + 3 * tolerance))) is None


@pytest.mark.parametrize(
    ("factor", "many"),
    [
        (0.5, "half of"),
        (2.0, "twice"),
        (1 / BATCH, "1/12 (1 over the batch's size) times"),
        (0.3712, "0.3712 times"),
        (-1.0, "the negative of"),
    ],
)
def test_gradients_alone_are_scaled(tolerance: float, factor: float, many: str) -> None:
    says, place, name = _says(changed(evidence(tolerance=tolerance), lambda n, g: factor * g))
    assert says == f"every gradient is {many} what the model says, the loss is right"
    assert (place, name) == (None, "scaled-gradient")


def test_the_loss_is_summed(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: BATCH * g, loss=BATCH * given.expected_loss)
    says, _, name = _says(wrong)
    assert says == (
        "the loss, and so every gradient, is 12 (the batch's size) times what the model says"
    )
    assert name == "sum-over-batch"


def test_a_loss_that_is_not_reported_is_not_spoken_of(tolerance: float) -> None:
    given = changed(evidence(tolerance=tolerance), lambda n, g: 2 * g)
    found = describe_gradients(replace(given, observed_loss=None))
    assert found is not None
    assert found.says == "every gradient is twice what the model says"
    assert found.name is None


@pytest.mark.parametrize(
    ("loss", "factor", "name"),
    [("mean-squared", 0.5, "half-squared-loss"), ("half-squared", 2.0, "full-squared-loss")],
)
def test_halves_of_squares(tolerance: float, loss: str, factor: float, name: str) -> None:
    given = evidence(loss, tolerance=tolerance)  # type: ignore[arg-type]
    wrong = changed(given, lambda n, g: factor * g, loss=factor * given.expected_loss)
    assert _says(wrong)[2] == name


def test_the_root_of_the_loss(tolerance: float) -> None:
    given = evidence("mean-squared", tolerance=tolerance)
    root = math.sqrt(given.expected_loss)
    says, _, _ = _says(changed(given, lambda n, g: g * 0.5 / root, loss=root))
    assert says == "the loss is the square root of what the model says"


def test_one_array(tolerance: float) -> None:
    name = f"{FIRST}.weight"
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: 0.5 * g if n == name else g)
    assert _says(wrong) == ("gets a gradient that is half of what the model says", name, None)


def test_one_layer_is_not_trained(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: 0 * g if n.startswith(LAST) else g)
    assert _says(wrong) == ("gets no gradient and stays as it is", LAST, None)


def test_the_gradient_stops(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: g if n.startswith(LAST) else 0 * g)
    says, place, name = _says(wrong)
    assert says == (f"gets no gradient, nor does anything before it: the gradient stops at {LAST}")
    assert (place, name) == (FIRST, "gradient-blocked")


def test_scaled_below_a_place(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: g if n.startswith(LAST) else 3 * g)
    says, place, _ = _says(wrong)
    assert says.startswith("gets a gradient that is 3 times what the model says, and so does all")
    assert place == FIRST


def test_biases_only(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: 2 * g if n.endswith("bias") else g)
    says, place, _ = _says(wrong)
    assert says == "the gradient of every bias is twice what the model says; the others are right"
    assert place is None


def test_each_layer_passes_on_half(tolerance: float) -> None:
    given = evidence("mean-squared", tolerance=tolerance)
    layers = list(dict.fromkeys(n.partition(".")[0] for n in given.order))
    power = {layer: len(layers) - 1 - place for place, layer in enumerate(layers)}
    wrong = changed(given, lambda n, g: 0.5 ** power[n.partition(".")[0]] * g)
    assert _says(wrong)[0].startswith("each layer passes on half of the gradient")


@pytest.mark.parametrize("limit", [0.1, 0.5, 0.05])
def test_the_norm_is_clipped(tolerance: float, limit: float) -> None:
    given = evidence(tolerance=tolerance)
    norm = math.sqrt(sum(float(np.square(g).sum()) for g in given.expected.values()))
    assert norm > limit
    wrong = changed(given, lambda n, g: g * limit / norm)
    assert _says(wrong)[0] == f"gradients are clipped to a norm of {limit:g} over all arrays"


def test_each_norm_is_clipped(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: g * min(1, 0.05 / float(np.linalg.norm(g))))
    assert _says(wrong)[0] == "each array's gradient is clipped to a norm of 0.05"


def test_each_norm_is_one(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: g / np.linalg.norm(g))
    assert _says(wrong)[0].endswith("to a norm of 1")


def test_values_are_clipped(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    wrong = changed(given, lambda n, g: np.clip(g, -0.02, 0.02))
    assert _says(wrong)[0] == "gradients are clipped to ±0.02"


def test_signs(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    assert _says(changed(given, lambda n, g: np.sign(g)))[0] == "every gradient is its sign alone"


def test_rows_are_frozen(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    name = f"{FIRST}.weight"

    def without(n: str, g: np.ndarray) -> np.ndarray:
        return np.where(np.arange(len(g))[:, None] < 3, 0, g) if n == name else g

    assert _says(changed(given, without)) == ("has no gradient in rows 0 to 2", name, None)


def test_centred(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)

    def centred(n: str, g: np.ndarray) -> np.ndarray:
        axes = tuple(range(1, g.ndim))
        return g - g.mean(axis=axes, keepdims=True) if g.ndim > 1 else g

    assert _says(changed(given, centred))[0].startswith("each output's mean is taken out")


@pytest.mark.parametrize("decay", [1e-3, 1e-2, 0.5])
def test_weight_decay(tolerance: float, decay: float) -> None:
    given = evidence(tolerance=tolerance)
    w = given.weights
    says, _, name = _says(changed(given, lambda n, g: g + decay * w[n]))
    assert says == f"{decay:g} · w is added to the gradient of every array, and nothing to the loss"
    assert name == "weight-decay"


def test_weight_decay_of_weights_in_the_loss(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    w = given.weights
    total = sum(float(np.square(w[n]).sum()) for n in w if n.endswith("weight"))
    wrong = changed(
        given,
        lambda n, g: g + 0.02 * w[n] if n.endswith("weight") else g,
        loss=given.expected_loss + 0.01 * total,
    )
    says, _, _ = _says(wrong)
    assert says == (
        "0.02 · w is added to the gradient of every weight but the biases, "
        "and 0.01 · Σw² to the loss"
    )


def test_l1(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    w = given.weights
    wrong = changed(given, lambda n, g: g + 0.01 * np.sign(w[n]))
    assert _says(wrong)[0].startswith("0.01 · sign(w) is added to the gradient of every array")


def test_decay_of_one_array(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    name, w = f"{FIRST}.weight", given.weights
    wrong = changed(given, lambda n, g: g + 0.01 * w[n] if n == name else g)
    says, place, _ = _says(wrong)
    assert says.startswith("has 0.01 · w added to its gradient")
    assert place == name


def test_scale_and_decay(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    w = given.weights
    wrong = changed(given, lambda n, g: 0.5 * (g + 0.02 * w[n]))
    assert _says(wrong)[0] == (
        "every gradient is half of what the model says, and has 0.01 · w added"
    )


def test_tiny_decay_is_not_spoken_of(tolerance: float) -> None:
    given = evidence(tolerance=tolerance)
    w = given.weights
    small = 1e-2 * tolerance
    assert describe_gradients(changed(given, lambda n, g: g + small * w[n])) is None


def test_gradients_of_rounding_noise_are_left_out(tolerance: float) -> None:
    """A convolution's bias before batch normalisation has none but what rounding leaves."""
    given = evidence(tolerance=tolerance)
    draw = np.random.default_rng(1)
    bias, size = f"{CONV}.bias", 1e-16 if tolerance == DOUBLE else 1e-8
    assert tolerance in (DOUBLE, SINGLE)
    expected = {**given.expected, bias: 1e-18 * draw.normal(size=4)}
    observed = {**given.observed, bias: size * draw.normal(size=4)}
    calm = replace(given, expected=expected, observed=observed)
    assert describe_gradients(calm) is None
    says, _, _ = _says(changed(calm, lambda n, g: 2 * g))
    assert says == "every gradient is twice what the model says, the loss is right"
