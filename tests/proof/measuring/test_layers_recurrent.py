"""Recurrent layers that run otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from layer_cases import (
    TOLERANCES,
    Change,
    made,
    on_input,
    said,
    with_layer,
    with_quirk,
    with_weights,
)
from parametrised import shown

from tensorstone.models import GRU, LSTM, SimpleRNN
from tensorstone.models.layers import Layer
from tensorstone.oracle.operations import quirks_of
from tensorstone.proof.measuring.recurrent import _QUIRKS

SHAPE = (6, 5)
LAYERS: tuple[Layer, ...] = (
    SimpleRNN(4),
    LSTM(4),
    LSTM(4, sequence=True),
    GRU(4, biases=2),
    GRU(4, reset_after=False),
    GRU(4, bidirectional=True, sequence=True, biases=2),
    LSTM(4, bidirectional=True),
)
QUIRKS = [
    (layer, quirk) for layer in LAYERS for quirk in sorted(_QUIRKS) if quirk in quirks_of(layer)
]


def _swapped(*order: int) -> Change:
    def change(w: np.ndarray) -> np.ndarray:
        return w.reshape(len(order), -1, *w.shape[1:])[list(order)].reshape(w.shape)

    return lambda e: e.computed(weights={r: change(w) for r, w in e.weights.items()})


def _halves(e, *order):  # type: ignore[no-untyped-def]
    parts = np.split(e.expected, 2, axis=-1)
    return np.concatenate([parts[k] for k in order], axis=-1)


CASES: list[tuple[Layer, Change, str, str | None]] = [
    (
        LSTM(4),
        _swapped(0, 2, 1, 3),
        "takes its gates' weights in the order i, g, f, o, not i, f, g, o",
        "gates-swapped",
    ),
    (
        GRU(4, biases=2),
        _swapped(1, 0, 2),
        "takes its gates' weights in the order z, r, n, not r, z, n",
        "gates-swapped",
    ),
    (
        GRU(4, biases=2),
        with_weights(recurrent_bias=np.zeros_like),
        "leaves its recurrent bias out",
        None,
    ),
    (LSTM(4), with_weights(bias=lambda b: 2 * b), "adds its biases twice", None),
    (LSTM(4), on_input(lambda x: x[:, ::-1]), "reads its input backwards in time", None),
    (
        LSTM(4),
        lambda e: with_layer(sequence=True)(e)[:, 2],
        "gives the output of step 2 of 0 … 5",
        None,
    ),
    (
        LSTM(4),
        lambda e: with_layer(sequence=True)(e).mean(1),
        "gives the mean of all steps' outputs",
        None,
    ),
    (LSTM(4), with_layer(sequence=True), "gives every step's output, not the last one's", None),
    (
        LSTM(4, bidirectional=True),
        lambda e: _halves(e, 1, 0),
        "gives its backward direction first",
        None,
    ),
    (
        LSTM(4, bidirectional=True),
        lambda e: _halves(e, 0, 0),
        "gives its forward direction twice",
        None,
    ),
    (
        LSTM(4, bidirectional=True),
        lambda e: sum(np.split(e.expected, 2, axis=-1)),
        "adds its directions instead of concatenating them",
        None,
    ),
]


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_nothing_is_said_of_right_values(layer: Layer, seed: int, tolerance: float) -> None:
    assert said(made(layer, SHAPE, tolerance, seed), lambda e: e.expected) is None


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("layer", "change", "text", "name"), CASES, ids=shown)
def test_what_it_computes_instead(
    layer: Layer, change: Change, text: str, name: str | None, tolerance: float
) -> None:
    assert said(made(layer, SHAPE, tolerance), change) == (text, name)


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize(("layer", "quirk"), QUIRKS, ids=str)
def test_what_the_catalogue_knows(layer: Layer, quirk: str, tolerance: float) -> None:
    given = made(layer, SHAPE, tolerance, batch=6)
    wrong = given.computed(quirk=quirk)
    found = said(given, with_quirk(quirk))
    if np.array_equal(wrong, given.expected):  # it changes nothing here
        assert found is None
        return
    assert found is not None
    same = [q for q in _QUIRKS if q in quirks_of(layer) and _equal(given.computed(quirk=q), wrong)]
    assert quirk in same
    assert found in [_QUIRKS[q] for q in same]


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-12, atol=1e-12)
