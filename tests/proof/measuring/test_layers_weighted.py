"""Dense layers, convolutions, poolings and tables: their weights, windows and digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from layer_cases import (
    DOUBLE,
    TOLERANCES,
    Change,
    made,
    noisy,
    on_input,
    said,
    with_layer,
    with_quirk,
    with_weights,
)
from parametrised import shown

from tensorstone.models import AvgPool2D, Conv2D, Dense, Embedding, MaxPool2D
from tensorstone.models.layers import Layer
from tensorstone.proof.measuring.layer import LayerEvidence
from tensorstone.proof.measuring.precision import describe_precision

Shape = tuple[int, ...]
MAPS: Shape = (3, 9, 9)
CONV = Conv2D(4, 3, padding=1)
LOPSIDED = Conv2D(4, 3, stride=2, padding=((0, 1), (0, 1)))
POOL = MaxPool2D(3, stride=2, padding=1)
MEAN = AvgPool2D(3, stride=2, padding=1)
GROUPS = Conv2D(8, 3, padding=1, groups=2)
RIGHT: list[tuple[Layer, Shape]] = [
    (Dense(9), (16,)),
    *((layer, MAPS) for layer in (CONV, LOPSIDED, POOL, MEAN)),
    (GROUPS, (4, 8, 8)),
]


def _padded(mode: str) -> Change:
    def change(e: LayerEvidence) -> np.ndarray:
        x = np.pad(e.x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode)  # type: ignore[call-overload]
        return e.computed(x, layer=replace(e.node.layer, padding=0))  # type: ignore[call-arg]

    return change


CASES: list[tuple[Layer, Shape, Change, str, str | None]] = [
    (Dense(9), (16,), with_quirk("missing-bias"), "computes without its bias", "missing-bias"),
    (Dense(9), (16,), with_weights(bias=lambda b: 2 * b), "adds its bias twice", None),
    (
        Dense(9),
        (16,),
        with_weights(bias=lambda b: b[::-1]),
        "takes its bias in reverse order",
        None,
    ),
    (
        Dense(16),
        (16,),
        with_weights(weight=lambda w: w.T),
        "multiplies by its weights transposed (inputs × outputs)",
        None,
    ),
    (
        Dense(9),
        (16,),
        with_weights(weight=lambda w: w.reshape(16, 9).T),
        "reads the numbers of its weights in the order inputs × outputs",
        None,
    ),
    (CONV, MAPS, with_quirk("missing-bias"), "computes without its bias", "missing-bias"),
    (
        CONV,
        MAPS,
        with_weights(weight=lambda w: w[..., ::-1, ::-1]),
        "flips its kernels: true convolution, not correlation",
        "flipped-kernel",
    ),
    (
        CONV,
        MAPS,
        with_weights(weight=lambda w: w.swapaxes(2, 3)),
        "takes its kernels transposed, height for width",
        None,
    ),
    (
        CONV,
        MAPS,
        with_weights(weight=lambda w: w[:, ::-1]),
        "takes its kernels' input channels in reverse order",
        None,
    ),
    (
        CONV,
        MAPS,
        on_input(lambda x: x[..., ::-1]),
        "reads its input with left and right swapped",
        None,
    ),
    (
        CONV,
        MAPS,
        on_input(lambda x: 2 * x - 1),
        "reads its input scaled from 0 … 1 to −1 … 1",
        None,
    ),
    (
        CONV,
        MAPS,
        _padded("reflect"),
        "pads with mirrors of the map (without its edge), not with zeros",
        None,
    ),
    (CONV, MAPS, _padded("edge"), "pads with copies of the map's edge, not with zeros", None),
    (
        CONV,
        MAPS,
        _padded("wrap"),
        "pads with the map's other side (circular), not with zeros",
        None,
    ),
    (
        LOPSIDED,
        MAPS,
        with_layer(padding=((1, 0), (1, 0))),
        "pads 1 above, 0 below, 1 left, 0 right, not 0 above, 1 below, 0 left, 1 right",
        "padding-side",
    ),
    (CONV, MAPS, with_layer(padding=0), "does not pad", None),
    (CONV, MAPS, with_layer(stride=2), "has stride 2", None),
    (
        GROUPS,
        (4, 8, 8),
        lambda e: e.expected[:, [0, 4, 1, 5, 2, 6, 3, 7]],
        "weaves the outputs of its groups into each other",
        None,
    ),
    (
        GROUPS,
        (4, 8, 8),
        on_input(lambda x: x[:, [2, 3, 0, 1]]),
        "takes the groups of its input's channels in reverse order",
        None,
    ),
    (
        POOL,
        MAPS,
        lambda e: e.computed(layer=AvgPool2D(3, 2, 1)),
        "gives the mean, not the largest value",
        None,
    ),
    (POOL, MAPS, lambda e: -e.computed(-e.x), "gives the smallest value", None),
    (
        MEAN,
        MAPS,
        with_layer(count_padding=True),
        "counts the padding in its means",
        "padding-counted",
    ),
    (
        MEAN,
        MAPS,
        lambda e: e.computed(layer=MaxPool2D(3, 2, 1)),
        "gives the largest value (max), not the mean",
        None,
    ),
    (
        MaxPool2D(2),
        MAPS,
        with_quirk("ceil-mode"),
        "rounds its output's size up, not down",
        "ceil-mode",
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("layer", "shape"), RIGHT, ids=str)
def test_nothing_is_said_of_right_values(
    layer: Layer, shape: Shape, seed: int, tolerance: float
) -> None:
    assert said(made(layer, shape, tolerance, seed), lambda e: e.expected) is None


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("layer", "shape", "change", "text", "name"), CASES, ids=shown)
def test_what_it_computes_instead(
    layer: Layer, shape: Shape, change: Change, text: str, name: str | None, tolerance: float
) -> None:
    assert said(made(layer, shape, tolerance), change) == (text, name)


TABLES: list[tuple[Change, str, str | None]] = [
    (lambda e: 2 * e.expected, "multiplies its rows by √4, the square root of its features", None),
    (with_weights(table=lambda t: np.roll(t, -1, 0)), "picks the row after the token's", None),
    (
        with_weights(table=lambda t: t * (np.arange(len(t)) > 0)[:, None]),
        "gives zeros for token 0 (a row for padding)",
        None,
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("change", "text", "name"), TABLES, ids=shown)
def test_tables(change: Change, text: str, name: str | None, tolerance: float) -> None:
    given = made(Embedding(7, 4), (6,), tolerance, tokens=7)
    assert said(given, lambda e: e.expected) is None
    found = said(given, change)
    assert found is not None
    assert found[1] == name
    # A table times two is a factor too.
    assert found[0] in (text, "gives twice what the model says")


def _bits(array: np.ndarray, bits: int) -> np.ndarray:
    mantissa, exponent = np.frexp(array)
    return np.ldexp(np.round(mantissa * 2.0**bits) / 2.0**bits, exponent)


FORMATS: list[tuple[Change, str]] = [
    (
        lambda e: e.computed(_bits(e.x, 8), weights={"weight": _bits(e.weights["weight"], 8)}),
        "multiplies inputs and weights rounded to bfloat16 (relative errors of 2^−9)",
    ),
    (
        lambda e: e.computed(_bits(e.x, 11), weights={"weight": _bits(e.weights["weight"], 11)}),
        "multiplies inputs and weights rounded to TF32 or float16 (relative errors of 2^−12)",
    ),
    (
        with_weights(weight=lambda w: _bits(w, 8)),
        "multiplies weights rounded to bfloat16 (relative errors of 2^−9)",
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("layer", "shape"), [(Dense(20), (16,)), (CONV, MAPS)])
@pytest.mark.parametrize(("change", "text"), FORMATS, ids=shown)
def test_products_of_few_bits(
    layer: Layer, shape: Shape, change: Change, text: str, tolerance: float
) -> None:
    assert said(made(layer, shape, tolerance), change) == (text, None)


@pytest.mark.parametrize(("bits", "called"), [(8, "bfloat16"), (11, "float16"), (24, "float32")])
def test_results_of_few_bits(bits: int, called: str) -> None:
    expected = np.random.default_rng(0).normal(size=(30, 20))
    found = describe_precision(_bits(expected, bits), expected, DOUBLE)
    assert found is not None
    assert found.says == (
        f"gives its results rounded to {called} (relative errors of 2^−{bits + 1})"
    )
    assert describe_precision(expected, expected, DOUBLE) is None


def test_rounding_has_no_format() -> None:
    draw = np.random.default_rng(0)
    expected = draw.normal(size=(30, 20))
    for tolerance in TOLERANCES:
        assert describe_precision(noisy(expected, tolerance, draw), expected, 1e-4) is None
