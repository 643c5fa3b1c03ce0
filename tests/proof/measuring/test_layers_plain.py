"""Layers without weights: functions, joins, softmax, flattening; and what may happen to any."""

from __future__ import annotations

import numpy as np
import pytest
from layer_cases import DOUBLE, SINGLE, TOLERANCES, Change, joined, made, on_input, said, with_layer
from parametrised import shown
from scipy.special import erf

from tensorstone.models import (
    GELU,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool2D,
    LeakyReLU,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from tensorstone.models.layers import Layer
from tensorstone.models.recurrent import FirstLast, LastStep
from tensorstone.proof.measuring.relations import relate

WIDE, MAPS, STEPS = (40,), (3, 6, 6), (5, 4)
SOFT = (Softmax(), Softsign(), Softplus(), Sigmoid(), Tanh(), SiLU(), GELU())
RIGHT: list[tuple[Layer, tuple[int, ...]]] = [
    *((layer, WIDE) for layer in (*SOFT, ReLU(), LeakyReLU(0.1), Dropout(0.5))),
    *((layer, MAPS) for layer in (Flatten(), GlobalAvgPool2D())),
    *((layer, STEPS) for layer in (LastStep(), FirstLast())),
]


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _soft(x: np.ndarray, axis: int) -> np.ndarray:
    grown = np.exp(x - x.max(axis, keepdims=True))
    return grown / grown.sum(axis, keepdims=True)


FUNCTIONS: list[tuple[Layer, Change, str, str | None]] = [
    (ReLU(), lambda e: np.clip(e.x, 0, 3), "computes min(max(x, 0), 3)", None),
    (ReLU(), lambda e: np.clip(e.x, 0, 2.5), "computes min(max(x, 0), 2.5)", None),
    (ReLU(), lambda e: e.x, "is left out: it passes its input on unchanged", "missing-activation"),
    (
        ReLU(),
        lambda e: np.where(e.x > 0, e.x, 0.01 * e.x),
        "computes x where positive, 0.01·x elsewhere, a leaky ReLU",
        None,
    ),
    (
        LeakyReLU(0.1),
        lambda e: np.where(e.x > 0, e.x, 0.3 * e.x),
        "computes x where positive, 0.3·x elsewhere, a leaky ReLU",
        "leaky-slope",
    ),
    (ReLU(), lambda e: np.where(e.x > 0, e.x, np.expm1(e.x)), "computes ELU with alpha 1", None),
    (
        ReLU(),
        lambda e: np.where(e.x > 0, e.x, 0.5 * np.expm1(e.x)),
        "computes ELU with alpha 0.5",
        None,
    ),
    (ReLU(), lambda e: e.x * _sigmoid(e.x), "computes x/(1 + e⁻ˣ), SiLU (Swish)", None),
    (
        ReLU(),
        lambda e: e.x * (1 + erf(e.x / np.sqrt(2))) / 2,
        "computes GELU with the exact normal distribution",
        None,
    ),
    (
        Sigmoid(),
        lambda e: np.clip(0.2 * e.x + 0.5, 0, 1),
        "computes a hard sigmoid, clip(0.2·x + 0.5, 0, 1)",
        None,
    ),
    (
        Sigmoid(),
        lambda e: np.clip(e.x / 6 + 0.5, 0, 1),
        "computes a hard sigmoid, clip(x/6 + 1/2, 0, 1)",
        None,
    ),
    (Tanh(), lambda e: np.tanh(0.5 * e.x), "computes f(0.5·x), f being what is meant", None),
    (Tanh(), lambda e: e.x / (1 + np.abs(e.x)), "computes x/(1 + |x|), a softsign", None),
    (
        Softplus(),
        lambda e: np.log1p(np.exp(2 * e.x)) / 2,
        "computes softplus with beta 2, log(1 + e^(2·x))/2",
        None,
    ),
    (SiLU(), lambda e: np.maximum(e.x, 0), "computes max(x, 0), a ReLU", None),
]

PLAIN: list[tuple[Layer, tuple[int, ...], Change, str, str | None]] = [
    *((layer, WIDE, change, text, name) for layer, change, text, name in FUNCTIONS),
    (Softmax(), WIDE, lambda e: _soft(e.x, 0), "computes softmax over the batch", None),
    (
        Softmax(),
        WIDE,
        lambda e: np.log(_soft(e.x, 1)),
        "computes the logarithm of softmax",
        None,
    ),
    (Softmax(), WIDE, lambda e: _soft(-e.x, 1), "computes softmax of −x", None),
    (
        Softmax(),
        WIDE,
        lambda e: _soft(_soft(e.x, 1), 1),
        "computes softmax twice",
        "softmax-twice",
    ),
    (
        Softmax(),
        WIDE,
        lambda e: _soft(e.x / 4, 1),
        "reads its input multiplied by 0.25",
        None,
    ),
    (
        Flatten(),
        MAPS,
        lambda e: e.x.transpose(0, 2, 3, 1).reshape(len(e.x), -1),
        "flattens maps in the order height, width, channels",
        "hwc-flatten",
    ),
    (
        GlobalAvgPool2D(),
        MAPS,
        lambda e: e.x.max((2, 3)),
        "gives each channel's largest value, not its mean",
        None,
    ),
    (
        GlobalAvgPool2D(),
        MAPS,
        lambda e: e.x.sum((2, 3)),
        "gives each channel's sum, not its mean",
        None,
    ),
    (LastStep(), STEPS, lambda e: e.x[:, 0], "gives the first step, not the last", None),
    (LastStep(), STEPS, lambda e: e.x[:, 3], "gives step 3 of 0 … 4", None),
    (LastStep(), STEPS, lambda e: e.x.mean(1), "gives the mean over all steps", None),
    (
        FirstLast(),
        STEPS,
        lambda e: np.concatenate([e.x[:, -1], e.x[:, 0]], axis=1),
        "gives the last step before the first",
        None,
    ),
    (
        Dropout(0.5),
        WIDE,
        lambda e: e.x * (np.random.default_rng(1).uniform(size=e.x.shape) < 0.5) * 2,
        "drops 48% of its numbers and multiplies the others by 2",
        "dropout-in-prediction",
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("layer", "shape"), RIGHT, ids=str)
def test_nothing_is_said_of_right_values(
    layer: Layer, shape: tuple[int, ...], seed: int, tolerance: float
) -> None:
    given = made(layer, shape, tolerance, seed)
    assert said(given, lambda e: e.expected) is None


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("layer", "shape", "change", "text", "name"), PLAIN, ids=shown)
def test_what_it_computes_instead(
    layer: Layer,
    shape: tuple[int, ...],
    change: Change,
    text: str,
    name: str | None,
    tolerance: float,
) -> None:
    assert said(made(layer, shape, tolerance), change) == (text, name)


JOINS: list[tuple[str, Change, str]] = [
    ("add", lambda e: np.concatenate(e.inputs, 1), "concatenates its paths instead of adding them"),
    ("add", lambda e: e.inputs[0] + e.inputs[2], "leaves path 2 of 3 out"),
    ("add", lambda e: e.expected + e.inputs[0], "adds path 1 of 3 twice"),
    ("add", lambda e: e.expected - 2 * e.inputs[2], "subtracts path 3 of 3"),
    ("add", lambda e: e.inputs[1], "gives path 2 of 3 alone"),
    ("add", lambda e: np.prod(np.stack(e.inputs), axis=0), "multiplies its paths"),
    (
        "concat",
        lambda e: np.sum(np.stack(e.inputs), axis=0),
        "adds its paths instead of concatenating them",
    ),
    (
        "concat",
        lambda e: np.concatenate([e.inputs[2], e.inputs[0], e.inputs[1]], 1),
        "concatenates its paths in the order 3, 1, 2",
    ),
    (
        "concat",
        lambda e: np.concatenate([e.inputs[0], 0 * e.inputs[1], e.inputs[2]], 1),
        "has zeros for path 2 of 3",
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("how", "change", "text"), JOINS, ids=shown)
def test_joins(how: str, change: Change, text: str, tolerance: float) -> None:
    given = joined(how, MAPS, tolerance=tolerance)
    assert said(given, lambda e: e.expected) is None
    assert said(given, change) == (text, None)


ANY: list[tuple[Change, str]] = [
    (lambda e: 0.5 * e.expected, "gives half of what the model says"),
    (lambda e: e.expected / 255, "gives 1/255 times what the model says"),
    (lambda e: -e.expected, "gives the negative of what the model says"),
    (lambda e: e.expected + 0.25, "adds 0.25 to what the model says"),
    (lambda e: 2 * e.expected + 1, "gives 2 times what the model says, plus 1"),
    (lambda e: 0 * e.expected, "gives zeros"),
    (lambda e: e.expected[:, ::-1], "gives its features in reverse order"),
    (lambda e: np.roll(e.expected, 1, 1), "gives its features moved on by 1, the last ones first"),
    (lambda e: e.expected[::-1], "gives its samples in reverse order"),
    (lambda e: np.maximum(e.expected, 0), "applies a function to its result x: max(x, 0), a ReLU"),
    (lambda e: np.clip(e.expected, -1, 1), "applies a function to its result x: clip(x, −1, 1)"),
    (on_input(lambda x: x / 255), "reads its input multiplied by 1/255"),
    (on_input(lambda x: x + 0.5), "reads its input with 0.5 added"),
    (on_input(lambda x: x[:, ::-1]), "reads its input's features in reverse order"),
    (on_input(lambda x: np.maximum(x, 0)), "reads max(x, 0) of its input x"),
    (
        on_input(lambda x: x - x.mean(1, keepdims=True)),
        "reads its input less each sample's mean",
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("change", "text"), ANY, ids=shown)
def test_any_layer(change: Change, text: str, tolerance: float) -> None:
    assert said(made(Dense(9), (16,), tolerance), change) == (text, None)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_some_places(tolerance: float) -> None:
    given = made(Dense(9), (16,), tolerance, batch=20)

    def frozen(e):  # type: ignore[no-untyped-def]
        found = e.expected.copy()
        found[:, 3] = 0
        return found

    def halved(e):  # type: ignore[no-untyped-def]
        found = e.expected.copy()
        found[:, [1, 7]] *= 0.5
        return found

    def unknown(e):  # type: ignore[no-untyped-def]
        found = e.expected.copy()
        found[:, 3] = np.random.default_rng(0).normal(size=len(found))
        return found

    assert said(given, frozen) == ("only feature 3 is wrong: zero", None)
    assert said(given, halved) == (
        "only features 1 and 7 are wrong: 0.5 times what the model says",
        None,
    )
    assert said(given, unknown) == ("only feature 3 of 9 differs from the model", None)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_not_a_number(tolerance: float) -> None:
    given = made(ReLU(), WIDE, tolerance)
    with np.errstate(all="ignore"):
        found = said(given, lambda e: np.sqrt(e.x))
    assert found == ("gives NaN where its input is negative", None)


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_formula(tolerance: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    size = 10.0 ** -draw.integers(0, 3)
    for layer, shape in ((ReLU(), WIDE), (Dense(9), (16,)), (Softmax(), WIDE)):
        given = made(layer, shape, tolerance, seed)
        found = said(given, lambda e: e.expected + size * draw.normal(size=e.expected.shape))
        assert found is None or "has errors without a pattern" in found[0]


def test_a_relation_of_no_layer() -> None:
    draw = np.random.default_rng(0)
    expected = draw.normal(size=(12, 5))
    assert relate(expected * (1 + 1e-12), expected, DOUBLE) is None
    found = relate(2 * expected, expected, DOUBLE)
    assert found is not None
    assert (found.says, found.place) == ("gives twice what the model says", None)
    single = relate((np.tanh(expected)).astype(np.float32).astype(float), expected, SINGLE)
    assert single is not None
    assert single.says == "applies a function to its result x: tanh(x)"


def test_a_smooth_function_without_formula_is_a_table() -> None:
    given = made(ReLU(), (200,), DOUBLE)
    found = said(given, lambda e: np.sin(e.x) + 0.1 * e.x**2 + 0.05 * np.cos(3 * e.x))
    assert found is not None
    assert found[0].startswith("computes an element-wise function: ")


def test_tanh_in_gelu_shows_in_double() -> None:
    root = np.sqrt(2 / np.pi)
    found = said(
        made(GELU(), WIDE), lambda e: 0.5 * e.x * (1 + np.tanh(root * (e.x + 0.044715 * e.x**3)))
    )
    assert found == ("computes GELU's tanh approximation", None)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_relu6_is_named_where_values_pass_six(tolerance: float) -> None:
    given = made(ReLU(), (2000,), tolerance)
    assert said(given, lambda e: np.clip(e.x, 0, 6)) == ("computes min(max(x, 0), 6)", None)


def test_settings_of_the_layer() -> None:
    given = made(LeakyReLU(0.1), WIDE)
    found = said(given, with_layer(slope=0.2))
    assert found == ("computes x where positive, 0.2·x elsewhere, a leaky ReLU", "leaky-slope")
