"""Warnings about a workload: each with its line, none where what is written makes sense."""

import re
from collections.abc import Sequence
from math import inf
from pathlib import Path

import numpy as np
import pytest

from tensorstone.models import (
    GELU,
    GRU,
    LSTM,
    SGD,
    Adam,
    Add,
    BatchNorm,
    Conv2D,
    Data,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool2D,
    LastStep,
    LeakyReLU,
    Model,
    Recipe,
    ReLU,
    RMSprop,
    Sigmoid,
    Softmax,
    Softplus,
    Tanh,
    TimeDistributed,
    Workload,
    block,
)
from tensorstone.models.advice import BOUNDS, Advice, advice
from tensorstone.models.graph import Node
from tensorstone.models.layers import Activation
from tensorstone.models.load import find, names
from tensorstone.models.recipe import Loss, Optimiser
from tensorstone.models.shapes import weights
from tensorstone.models.structure import Part
from tensorstone.oracle.losses import loss_and_slope
from tensorstone.oracle.run import output

CE: Loss = "softmax-cross-entropy"
BCE: Loss = "binary-cross-entropy"
MSE: Loss = "mean-squared"
VECTOR, MAP, SEQUENCE = (8,), (3, 6, 6), (7, 5)
WORKLOADS = sorted((Path(__file__).parents[1] / "workloads").glob("*.py"))


def warned(
    layers: Sequence[Part],
    loss: Loss = CE,
    shape: tuple[int, ...] = VECTOR,
    optimiser: Optimiser = SGD(0.1),  # noqa: B008 (a value)
    batch: int = 4,
) -> list[Advice]:
    metric = "accuracy" if loss.endswith("cross-entropy") else "mse"
    recipe = Recipe(loss, optimiser, batch, 1, metric)
    model = Model("Net", shape, list(layers))
    return advice(Workload("mine", "Mine", model, recipe, Data("r", samples=8)))


MISTAKES = {
    "softmax twice": (warned([Dense(10), Softmax()]), "softmax1", "applies softmax itself"),
    "sigmoid twice": (warned([Dense(3), Sigmoid()], BCE), "sigmoid1", "applies sigmoid itself"),
    "bounded scores": (warned([Dense(10), Tanh()]), "tanh1", "between -1 and 1"),
    "no last dense": (warned([LSTM(3)], shape=SEQUENCE), "lstm1", "between -1 and 1"),
    "no negative logit": (warned([Dense(1), Softplus()], BCE), "softplus1", "no logit below 0"),
    "ReLU on scores": (warned([Dense(3), ReLU()]), "relu1", "outputs below 0 become 0"),
    "ReLU on logits": (warned([Dense(3), ReLU()], BCE), "relu1", "no logit below 0"),
    "ReLU on values": (warned([Dense(3), ReLU()], MSE), "relu1", "ReLU before mean-squared"),
    "flattened after": (
        warned([Conv2D(3, 6), Softmax(), Flatten()], shape=MAP),
        "softmax1",
        "cannot fall below",
    ),
    "last step after": (
        warned([TimeDistributed(4), Tanh(), LastStep()], shape=SEQUENCE),
        "tanh1",
        "cannot fall below",
    ),
    "dropped outputs": (warned([Dense(3), Dropout(0.3)]), "drop1", "probability 0.3"),
    "one class": (warned([Dense(8), ReLU(), Dense(1)]), "fc2", "the loss is always 0"),
    "softmax of one": (warned([Dense(1), Softmax()], MSE), "softmax1", "always 1"),
    "nothing between": (warned([Dense(16), Dense(3)]), "fc2", "Dense directly after Dense"),
    "lone sample": (warned([Dense(4), BatchNorm(), Dense(3)], batch=1), "bn1", "batch=1"),
    "Adam": (warned([Dense(3)], optimiser=Adam(0.1)), "", "Adam with rate=0.1"),
    "RMSprop": (warned([Dense(3)], optimiser=RMSprop(0.5)), "", "RMSprop with rate=0.5"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_usual_mistake_is_said_once_with_its_layer(case: str) -> None:
    found, path, said = MISTAKES[case]
    assert [one.path for one in found] == [path]
    (one,) = found
    assert one.line is None
    assert one.message.startswith(f"mine: {path}: " if path else "mine: ")
    assert said in one.text
    assert one.hint
    assert not re.search(r"[{}]", one.text + one.hint)


def test_a_last_recurrent_layer_is_not_one_to_remove() -> None:
    (one,) = warned([GRU(4)], shape=SEQUENCE)
    assert one.hint.startswith("put Dense(4) after the GRU")


RIGHT = {
    "scores": warned([Dense(16), ReLU(), Dropout(), Dense(3)]),
    "probabilities by squares": warned([Dense(3), Softmax()], MSE),
    "values between 0 and 1": warned([Dense(3), Sigmoid()], MSE),
    "values between -1 and 1": warned([Dense(3), Tanh()], "absolute"),
    "positive values": warned([Dense(3), Softplus()], "half-squared"),
    "leaky scores": warned([Dense(3), LeakyReLU()]),
    "scores without an upper bound": warned([Dense(3), GELU()]),
    "averaged maps": warned([Conv2D(4, 3), ReLU(), GlobalAvgPool2D()], shape=MAP),
    "dropped maps": warned([Conv2D(4, 3), Dropout(), GlobalAvgPool2D()], shape=MAP),
    "dropout of nothing": warned([Dense(3), Dropout(0)]),
    "one logit": warned([Dense(1)], BCE),
    "softmax between": warned([Dense(4), Softmax(), Dense(3)]),
    "a narrow layer between": warned([Dense(2), Dense(6)]),
    "joined paths": warned([Add([Dense(3), ReLU()], [Dense(3)])]),
    "one map": warned([Conv2D(4, 3), BatchNorm(), Flatten(), Dense(3)], shape=MAP, batch=1),
    "usual rates": warned([Dense(3)], optimiser=Adam(0.05)),
    "a rate that is multiplied": warned([Dense(3)], optimiser=SGD(0.5)),
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_makes_sense_is_not_warned_of(case: str) -> None:
    assert RIGHT[case] == []


def test_the_catalogue_is_not_warned_of() -> None:
    assert [name for name in names() if advice(find(name))] == []


@pytest.mark.parametrize("path", WORKLOADS, ids=lambda path: path.stem)
def test_the_workloads_of_tests_are_not_warned_of(path: Path) -> None:
    assert advice(find(str(path))) == []


def test_a_repeated_block_is_warned_of_once() -> None:
    @block
    def twice(width: int) -> list[Part]:
        return [Dense(width), Dense(width), ReLU()]

    found = warned([twice(9), twice(9), Dense(3)])
    assert [one.path for one in found] == ["twice1.fc2"]


# The numbers in the sentences, by the oracle.


@pytest.mark.parametrize("kind", [kind for kind in BOUNDS if issubclass(kind, Activation)])
def test_bounds_are_those_of_the_layer(kind: type[Activation]) -> None:
    inputs = np.random.default_rng(0).uniform(-40, 40, (20_000, 2))
    node = Node("one", kind(), (-1,), (2,))
    made = output(node, {}, inputs)
    low, high = BOUNDS[kind]
    assert low <= made.min() < low + 0.03
    assert made.max() > 39 if high == inf else high - 0.03 < made.max() <= high


@pytest.mark.parametrize(
    ("layer", "classes"), [(Softmax(), 10), (Softmax(), 2), (Tanh(), 3), (Sigmoid(), 1000)]
)
def test_the_least_cross_entropy_is_what_is_said(layer: Activation, classes: int) -> None:
    (one,) = warned([Dense(classes), layer])
    low, high = BOUNDS[type(layer)]
    best = np.full((1, classes), low, float)
    best[0, 0] = high
    least, _ = loss_and_slope(CE, best, np.array([0]))
    assert least - 0.01 < said_least(one) <= least


@pytest.mark.parametrize("layer", [Sigmoid(), ReLU(), Tanh(), GELU()])
def test_the_least_binary_cross_entropy_is_what_is_said(layer: Activation) -> None:
    (one,) = warned([Dense(1), layer], BCE)
    low, _ = BOUNDS[type(layer)]
    least, _ = loss_and_slope(BCE, np.array([[low]], float), np.array([[0.0]]))
    assert least - 0.01 < said_least(one) <= least


def said_least(one: Advice) -> float:
    found = re.search(r"cannot fall below ([\d.]+)", one.text)
    assert found
    return float(found[1])


def test_a_lone_sample_is_normalised_to_nothing() -> None:
    layer = BatchNorm()
    owned = weights(layer, "bn1", (4,))
    node = Node("bn1", layer, (-1,), (4,), owned)
    arrays = {weight.name: np.full(4, 0.7) for weight in owned}
    assert (output(node, arrays, np.array([[1.0, -2.0, 30.0, 4.0]])) == 0.7).all()
