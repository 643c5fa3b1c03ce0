"""Every table that must know a layer, a loss, an optimiser or a metric does; none has a default
that a new one would fall into unseen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import UnionType
from typing import get_args

import numpy as np
import pytest

import tensorstone.models as vocabulary
from tensorstone.analysis.curves import at_least_as_good
from tensorstone.data.baseline import score
from tensorstone.data.synthetic import synthetic
from tensorstone.models import SGD, Data, Dense, Model, Recipe, Workload
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.graph import Join, Node
from tensorstone.models.layers import Layer
from tensorstone.models.multiplications import multiplications
from tensorstone.models.placed import Leaf
from tensorstone.models.recipe import LOSSES, METRICS, Optimiser
from tensorstone.models.shapes import output_shape, weights
from tensorstone.oracle.losses import loss_and_slope
from tensorstone.oracle.operations import OPERATIONS, quirks_of
from tensorstone.oracle.optimisers import _RULES
from tensorstone.proof.probing.nondifferentiable import near_jump
from tensorstone.proof.probing.probe import _run
from tensorstone.session.judging import resolution

MAP, VECTOR, SEQUENCE, TOKENS = (4, 6, 6), (5,), (7, 5), (7,)
# One of each kind, and an input it takes.
EXAMPLES: dict[type[Layer], tuple[Layer, tuple[int, ...]]] = {
    type(layer): (layer, shape)
    for layer, shape in [
        (L.Dense(3), VECTOR),
        (L.Conv2D(3, 3), MAP),
        (L.MaxPool2D(2), MAP),
        (L.AvgPool2D(2), MAP),
        (L.GlobalAvgPool2D(), MAP),
        (L.Flatten(), MAP),
        (L.Dropout(0.5), MAP),
        (L.BatchNorm(), MAP),
        (L.ReLU(), MAP),
        (L.LeakyReLU(), MAP),
        (L.Tanh(), MAP),
        (L.Sigmoid(), MAP),
        (L.Softsign(), MAP),
        (L.Softplus(), MAP),
        (L.GELU(), MAP),
        (L.SiLU(), MAP),
        (L.Softmax(), VECTOR),
        (R.Embedding(9, 3), TOKENS),
        (R.SimpleRNN(3), SEQUENCE),
        (R.LSTM(3), SEQUENCE),
        (R.GRU(3), SEQUENCE),
        (R.LastStep(), SEQUENCE),
        (R.FirstLast(), SEQUENCE),
        (R.TimeDistributed(3), SEQUENCE),
    ]
}


MADE_FROM = (L.Activation, L._Pool2D, R.Recurrent)  # what kinds of layer have in common


def below(kind: type) -> Iterator[type]:
    for child in kind.__subclasses__():
        yield child
        yield from below(child)


def kinds() -> list[type[Layer]]:
    """Every layer that a person can write: those that others are made from are none."""
    own = [kind for kind in below(Layer) if kind.__module__.startswith("tensorstone.models")]
    return [kind for kind in own if kind not in MADE_FROM and kind is not Join]


KINDS = {kind.__name__: kind for kind in kinds()}


def test_there_is_an_example_of_every_layer() -> None:
    assert set(KINDS.values()) == set(EXAMPLES)


def test_every_layer_can_be_written_by_a_person() -> None:
    assert set(KINDS) <= set(vocabulary.__all__)


@pytest.mark.parametrize("name", KINDS)
def test_a_layer_says_everything_of_itself(name: str) -> None:
    kind = KINDS[name]
    assert kind.stem
    assert kind.jump in ("zero", "ties", "nowhere")
    assert kind.__doc__ and not kind.__doc__.startswith(f"{name}("), "a dataclass's own is none"
    if issubclass(kind, L.Activation):
        assert kind.gain > 0


@pytest.mark.parametrize("name", KINDS)
def test_a_layer_has_a_shape_weights_and_a_meaning(name: str) -> None:
    layer, shape = EXAMPLES[KINDS[name]]
    made, owned = output_shape(layer, "one", shape), weights(layer, "one", shape)
    operation = OPERATIONS[KINDS[name]]
    assert isinstance(operation.approximated, bool)
    assert quirks_of(layer) == operation.quirks
    node = Node("one", layer, (-1,), made, owned)
    values = np.ones((2, *shape), np.float32)
    assert isinstance(near_jump(node, values), list)
    assert multiplications(Leaf(layer, "one", "one", shape, made, owned)) >= 0


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_has_a_meaning_targets_and_samples(loss: str) -> None:
    metric = "accuracy" if loss.endswith("cross-entropy") else "mse"
    model = Model("Net", (4,), [Dense(3)])
    of = Workload("tried", "T", model, Recipe(loss, SGD(0.1), 2, 1, metric), Data("r", samples=8))
    probe = _run(of, 0, 4, of.recipe.batch)
    value, slope = loss_and_slope(loss, np.ones((4, 3)), probe.y)
    assert np.isfinite(value)
    assert slope.shape == (4, 3)
    assert len(synthetic(of, 4, 0)[1]) == 4


def test_a_loss_that_nobody_knows_is_an_error() -> None:
    model = Model("Net", (4,), [Dense(3)])
    recipe = Recipe("mean-squared", SGD(0.1), 2, 1, "mse")
    object.__setattr__(recipe, "loss", "made-up")
    of = Workload.__new__(Workload)
    for key, value in {"model": model, "recipe": recipe, "name": "tried"}.items():
        object.__setattr__(of, key, value)
    with pytest.raises(NotImplementedError, match="made-up"):
        _run(of, 0, 4, 2)
    with pytest.raises(KeyError):
        loss_and_slope("made-up", np.ones((4, 3)), np.ones((4, 3)))  # type: ignore[arg-type]


def test_every_optimiser_has_a_rule() -> None:
    assert isinstance(Optimiser, UnionType)
    assert set(get_args(Optimiser)) == set(_RULES)


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_has_a_score_a_direction_and_a_resolution(metric: str) -> None:
    y = np.array([[0.0], [1.0], [3.0]])
    if metric != "accuracy":
        assert np.isfinite(score(y, y + 0.5, metric))
    better, worse = (0.0, 1.0) if metric in ("mse", "mae") else (1.0, 0.0)
    assert at_least_as_good(metric, better, worse)
    assert not at_least_as_good(metric, worse, better)
    assert resolution(metric, y) > 0


def test_a_metric_that_nobody_knows_has_no_score() -> None:
    with pytest.raises(ValueError, match="made-up"):
        score(np.ones((3, 1)), np.ones((3, 1)), "made-up")


@dataclass(frozen=True)
class Odd(Layer):
    """A layer that says nothing of itself."""


@dataclass(frozen=True)
class OddActivation(L.Activation):
    """An activation that says nothing of itself."""


@pytest.mark.parametrize("layer", [Odd(), OddActivation()], ids=lambda layer: layer.kind)
def test_a_layer_that_forgot_its_facts_fails_loudly(layer: Layer) -> None:
    node = Node("odd", layer, (-1,), MAP, ())
    for missing in (lambda: layer.stem, lambda: layer.jump):
        with pytest.raises(AttributeError):
            missing()
    with pytest.raises(AttributeError):
        near_jump(node, np.ones((2, *MAP), np.float32))
    with pytest.raises(KeyError):
        quirks_of(layer)


def test_a_layer_that_no_table_knows_has_neither_shape_nor_weights() -> None:
    with pytest.raises(NotImplementedError, match="Odd"):
        output_shape(Odd(), "odd", MAP)
    with pytest.raises(NotImplementedError, match="Odd"):
        weights(Odd(), "odd", MAP)


def test_an_activation_that_forgot_its_gain_fails_loudly() -> None:
    with pytest.raises(AttributeError):
        _ = OddActivation().gain


def test_a_metric_that_nobody_knows_has_no_better_side() -> None:
    with pytest.raises(ValueError, match="'f1'"):
        at_least_as_good("f1", 1.0, 0.0)
