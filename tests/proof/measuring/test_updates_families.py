"""Optimisers with another constant, in another form, or others in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from parametrised import seeds, shown
from update_cases import (
    DOUBLE,
    SINGLE,
    Arrays,
    Step,
    adagrad,
    adam,
    lion,
    momentum,
    rmsprop,
    sgd,
    trained,
)

from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.oracle.conventions import ADAM_EPSILON_BEFORE_CORRECTION
from tensorstone.proof.measuring.updates import describe_updates

PLAIN, HEAVY, AHEAD = SGD(0.1), Momentum(0.1, 0.9), Momentum(0.1, 0.9, nesterov=True)
ADAM, RMS = Adam(1e-2), RMSprop(1e-2)
BEFORE = frozenset({ADAM_EPSILON_BEFORE_CORRECTION})

CONSTANTS: list[tuple[Optimiser, Step, str, str | None]] = [
    (HEAVY, momentum(0.1, 0.8), "momentum is 0.8, not 0.9", None),
    (AHEAD, momentum(0.1, 0.8, True), "momentum is 0.8, not 0.9", None),
    (HEAVY, momentum(0.1, 0.99), "momentum is 0.99, not 0.9", None),
    (
        HEAVY,
        momentum(0.05, 0.8),
        "the learning rate is 0.05, not 0.1 and momentum is 0.8, not 0.9",
        None,
    ),
    (ADAM, adam(1e-2, 0.8), "beta1 is 0.8, not 0.9", None),
    (
        ADAM,
        adam(1e-2, 0.0),
        "beta1 is 0, not 0.9: each step is of its own gradient, divided as Adam divides",
        None,
    ),
    (ADAM, adam(1e-2, two=0.99), "beta2 is 0.99, not 0.999", None),
    (ADAM, adam(1e-2, two=0.5), "beta2 is 0.5, not 0.999", None),
    (ADAM, adam(1e-2, eps=1e-3), "epsilon is 0.001, not 1e-08", "other-epsilon"),
    (ADAM, adam(1e-2, 0.5, 0.9), "beta1 is 0.5, not 0.9 and beta2 is 0.9, not 0.999", None),
    (RMS, rmsprop(1e-2, 0.99), "rho is 0.99, not 0.9", None),
    (RMS, rmsprop(1e-2, eps=1e-3), "epsilon is 0.001, not 1e-07", "other-epsilon"),
]

FORMS: list[tuple[Optimiser, Step, str, str | None]] = [
    (AHEAD, momentum(0.1, 0.9), "momentum is plain, not Nesterov's", "no-nesterov"),
    (HEAVY, momentum(0.1, 0.9, True), "momentum is Nesterov's, not the plain one", "nesterov"),
    (
        HEAVY,
        momentum(0.1, 0.9, dampening=0.1),
        "dampening is 0.1: the velocity takes only the rest of each gradient but the first",
        None,
    ),
    (
        HEAVY,
        sgd(0.1),
        "momentum has no effect: each step is the learning rate times its own gradient",
        None,
    ),
    (
        AHEAD,
        sgd(0.19),
        "what the optimiser remembers is lost after every step: each is a first step",
        None,
    ),
    (PLAIN, momentum(0.1, 0.9), "a momentum of 0.9 is kept, where the model has none", None),
    (
        PLAIN,
        momentum(0.1, 0.7, True),
        "Nesterov's momentum of 0.7 is kept, where the model has none",
        None,
    ),
    (
        ADAM,
        adam(1e-2, how="uncorrected"),
        "Adam's averages are not corrected for starting at zero",
        "no-bias-correction",
    ),
    (
        Adam(1e-2, 0.9, 0.9),
        adam(1e-2, two=0.9, how="amsgrad"),
        "AMSGrad is computed, not Adam: it divides by the largest v so far",
        None,
    ),
    (
        ADAM,
        adam(1e-2, how="nadam"),
        "NAdam is computed, not Adam: (β₁m + (1 − β₁)g)/(1 − β₁ᵗ) takes m̂'s place",
        None,
    ),
    (
        ADAM,
        adam(1e-2, how="torch-nadam"),
        "NAdam is computed, not Adam, with its rising momentum",
        None,
    ),
    (
        ADAM,
        adam(1e-2, how="radam"),
        "RAdam is computed, not Adam: it divides by √v̂ where its length is above 5",
        None,
    ),
    (
        ADAM,
        adam(1e-2, how="belief"),
        "AdaBelief is computed, not Adam: v collects (g − m)²",
        None,
    ),
    (ADAM, lion(1e-2), "Lion is computed, not Adam", None),
    (ADAM, adagrad(1e-2), "Adagrad is computed, not Adam", None),
    (
        ADAM,
        adagrad(1e-2, start=0.1),
        "Adagrad, its sum of squares starting at 0.1, is computed, not Adam",
        None,
    ),
    (ADAM, rmsprop(1e-2, 0.9), "RMSprop with rho 0.9 is computed, not Adam", None),
    (
        ADAM,
        rmsprop(1e-2, 0.999, 1e-8),
        "RMSprop is computed, not Adam, with rho as beta2",
        None,
    ),
    (
        PLAIN,
        adam(1e-2),
        "Adam with beta1 0.9 and beta2 0.999 is computed, not plain gradient descent, "
        "the learning rate is 0.01, not 0.1",
        None,
    ),
    (
        RMS,
        rmsprop(1e-2, how="centred"),
        "the running mean is taken from the squares (centred RMSprop)",
        None,
    ),
    (RMS, rmsprop(1e-2, mu=0.5), "RMSprop has a momentum of 0.5", None),
    (
        RMS,
        rmsprop(1e-2, eps=1e-7, how="ones"),
        "the running mean of squares starts at 1, not 0",
        None,
    ),
]

DECAYS: list[tuple[Optimiser, Step, str, str | None]] = [
    *(
        (model, step, "weight decay: 0.01 × weight is added to the gradient (L2)", "weight-decay")
        for model, step in (
            (PLAIN, sgd(0.1, 0.01)),
            (HEAVY, momentum(0.1, 0.9, decay=0.01)),
            (AHEAD, momentum(0.1, 0.9, True, decay=0.01)),
            (ADAM, adam(1e-2, decay=0.01)),
            (RMS, rmsprop(1e-2, decay=0.01)),
        )
    ),
    *(
        (
            model,
            step,
            "decoupled weight decay: 0.01 × rate × weight is taken in every step",
            "weight-decay",
        )
        for model, step in (
            (HEAVY, momentum(0.1, 0.9, decoupled=0.01)),
            (ADAM, adam(1e-2, decoupled=0.01)),
        )
    ),
]


def _says(
    model: Optimiser, step: Step, tolerance: float, seed: int, **settings: Any
) -> tuple[str, str | None, str | None] | None:
    given = trained(model, step, tolerance, seed, **settings)
    found = describe_updates(given)
    if found is None:
        return None
    assert found.residual <= given.tolerance
    return found.says, found.place, found.name


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize(
    ("model", "step", "text", "name"), [*CONSTANTS, *FORMS, *DECAYS], ids=shown
)
def test_a_family(
    model: Optimiser, step: Step, text: str, name: str | None, tolerance: float, seed: int
) -> None:
    found = _says(model, step, tolerance, seed)
    assert found is not None
    says, place, called = found
    if "either" in says and tolerance == SINGLE:  # two that float32 cannot tell apart
        assert text in says
        assert called is None
    else:
        assert (says, place, called) == (text, None, name)


@pytest.mark.parametrize("seed", seeds(3))
def test_what_only_double_shows(seed: int) -> None:
    inside = adam(1e-2, how="inside")
    assert _says(ADAM, inside, DOUBLE, seed) == (
        "epsilon stands under the square root",
        None,
        "epsilon-inside-root",
    )
    before = adam(1e-2, how="before")
    assert _says(ADAM, before, DOUBLE, seed) == (
        "epsilon is added before the bias correction",
        None,
        "epsilon-correction",
    )
    assert _says(ADAM, before, DOUBLE, seed, conventions=BEFORE) is None
    after = adam(1e-2)
    assert _says(ADAM, after, DOUBLE, seed, conventions=BEFORE) == (
        "epsilon is added after the bias correction",
        None,
        "epsilon-correction",
    )
    assert _says(ADAM, before, SINGLE, seed) is None
    slow = adam(1e-2, two=0.9999)
    assert _says(ADAM, slow, DOUBLE, seed) == ("beta2 is 0.9999, not 0.999", None, None)
    assert _says(ADAM, slow, SINGLE, seed) is None


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
def test_a_decay_of_weights_alone(tolerance: float, seed: int) -> None:
    def step(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
        return adam(1e-2, decay=0.01 if n.endswith("weight") else 0.0)(s, n, w, g, t)

    assert _says(ADAM, step, tolerance, seed) == (
        "weight decay: 0.01 × weight is added to the gradient (L2); "
        "only so in every weight but the biases",
        None,
        "weight-decay",
    )


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
def test_another_constant_in_one_layer(tolerance: float, seed: int) -> None:
    def step(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
        return momentum(0.1, 0.5 if "fc1" in n else 0.9)(s, n, w, g, t)

    text = "is updated otherwise than the rest: momentum is 0.5, not 0.9"
    assert _says(HEAVY, step, tolerance, seed) == (text, "fc1", None)


def _joined(count: int, how: str) -> Callable[[list[Arrays], int], Arrays]:
    """Zeros between, so that plain gradient descent does not move."""

    def before(used: list[Arrays], t: int) -> Arrays:
        part = used[t + 1 - count : t + 1]
        share = 0.0 if (t + 1) % count else 1 / count if how == "mean" else 1.0
        return {n: share * sum(one[n] for one in part) for n in used[t]}

    return before


GIVEN: list[tuple[Callable[[list[Arrays], int], Arrays], str]] = [
    (_joined(2, "mean"), "weights move only every 2 batches, by the mean of their gradients"),
    (_joined(3, "sum"), "weights move only every 3 batches, by the sum of their gradients"),
    (
        lambda used, t: {n: sum(one[n] for one in used) for n in used[0]},
        "gradients are never cleared: each update is made of the sum of all so far",
    ),
    (
        lambda used, t: used[max(t - 1, 0)],
        "each update is made of the gradient of the batch before, but the first of its own",
    ),
    (
        lambda used, t: used[t - 1] if t else {n: 0 * g for n, g in used[0].items()},
        "each update is made of the gradient of the batch before, and the first update moves "
        "nothing",
    ),
    (lambda used, t: used[0], "every update is made of the first batch's gradient"),
]


@pytest.mark.parametrize("count", (4, 8))
@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize(("before", "text"), GIVEN)
def test_other_gradients(
    before: Callable[[list[Arrays], int], Arrays],
    text: str,
    tolerance: float,
    seed: int,
    count: int,
) -> None:
    found = _says(PLAIN, sgd(0.1), tolerance, seed, before=before, count=count)
    assert found == (text, None, None)
