"""Learning rates that are not the model's: of all, of groups of arrays, of updates."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from parametrised import seeds
from update_cases import (
    DOUBLE,
    SINGLE,
    Step,
    adam,
    grouped,
    momentum,
    rmsprop,
    scheduled,
    sgd,
    trained,
)

from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.proof.measuring.updates import describe_updates

Rated = Callable[[float], Step]
PLAIN: tuple[Optimiser, Rated] = (SGD(0.1), sgd)
HEAVY: tuple[Optimiser, Rated] = (Momentum(0.1, 0.9), lambda rate: momentum(rate, 0.9))
AHEAD: tuple[Optimiser, Rated] = (
    Momentum(0.1, 0.9, nesterov=True),
    lambda rate: momentum(rate, 0.9, nesterov=True),
)
ADAM: tuple[Optimiser, Rated] = (Adam(0.1), adam)
RMS: tuple[Optimiser, Rated] = (RMSprop(0.1), rmsprop)
ALL = (PLAIN, HEAVY, AHEAD, ADAM, RMS)

pytestmark = [
    pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE)),
    pytest.mark.parametrize("seed", seeds(3)),
]


def _says(
    kind: tuple[Optimiser, Rated], step: Step, tolerance: float, seed: int, count: int = 8
) -> tuple[str, str | None, str | None]:
    given = trained(kind[0], step, tolerance, seed, count)
    found = describe_updates(given)
    assert found is not None
    assert found.residual <= given.tolerance
    return found.says, found.place, found.name


@pytest.mark.parametrize("count", (3, 8))
@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("rate", "said"), [(0.2, "0.2"), (0.0371, "0.0371"), (0.001, "0.001")])
def test_another_rate(
    tolerance: float, seed: int, kind: tuple[Optimiser, Rated], rate: float, said: str, count: int
) -> None:
    says, place, name = _says(kind, kind[1](rate), tolerance, seed, count)
    assert says == f"the learning rate is {said}, not 0.1"
    assert (place, name) == (None, "learning-rate")


def test_a_rate_that_may_be_unit_gain_is_both(tolerance: float, seed: int) -> None:
    says, _, name = _says(HEAVY, momentum(0.01, 0.9), tolerance, seed)
    assert says == (
        "every step is 0.1 of the model's: the learning rate is 0.01, not 0.1, or the velocity "
        "takes (1 − momentum) of the gradient"
    )
    assert name is None


@pytest.mark.parametrize("kind", ALL)
def test_the_wrong_sign(tolerance: float, seed: int, kind: tuple[Optimiser, Rated]) -> None:
    says, _, name = _says(kind, kind[1](-0.1), tolerance, seed)
    assert says == "steps have the wrong sign: they go up the gradient"
    assert name is None


@pytest.mark.parametrize("kind", ALL)
def test_nothing_is_trained(tolerance: float, seed: int, kind: tuple[Optimiser, Rated]) -> None:
    says, _, _ = _says(kind, kind[1](0.0), tolerance, seed)
    assert says == "nothing is trained: no weight ever changes"


SCHEDULES: list[tuple[str, Callable[[int], float]]] = [
    ("the learning rate is multiplied by 0.99 after every update", lambda t: 0.99 ** (t - 1)),
    ("the learning rate is multiplied by 0.5 after every update", lambda t: 0.5 ** (t - 1)),
    (
        "the learning rate falls linearly, by 0.05 of the model's at every update",
        lambda t: 1 - 0.05 * (t - 1),
    ),
    (
        "the learning rate falls as 1/(1 + 0.02·t) with the number t of updates made",
        lambda t: 1 / (1 + 0.02 * (t - 1)),
    ),
    ("the learning rate falls as t to the power of −0.5 in update t", lambda t: t**-0.5),
    (
        "the learning rate falls as half a cosine that ends after 20 updates",
        lambda t: 0.5 * (1 + math.cos(math.pi * (t - 1) / 20)),
    ),
    (
        "the learning rate warms up linearly over 5 updates, and begins at 1/5 of it",
        lambda t: min(1, t / 5),
    ),
    (
        "the learning rate warms up linearly over 1000 updates, and begins at 1/1000 of it",
        lambda t: t / 1000,
    ),
    (
        "the learning rate warms up linearly over 4 updates, and begins at 0",
        lambda t: min(1, (t - 1) / 4),
    ),
    (
        "the learning rate is multiplied by 0.5 after every 3 updates",
        lambda t: 0.5 ** ((t - 1) // 3),
    ),
    (
        "the learning rate is 0.1 times the model's from update 6 on",
        lambda t: 1 if t < 6 else 0.1,
    ),
    (
        "the learning rate is multiplied by 0.9 after every update, from 2 times the model's",
        lambda t: 2 * 0.9 ** (t - 1),
    ),
    ("update 3 is left out: nothing moves", lambda t: t != 3),
    ("nothing moves after update 5", lambda t: t <= 5),
    ("nothing moves in the first 2 updates", lambda t: t > 2),
    ("one update in 2 is made, the first of them update 1", lambda t: t % 2),
]


@pytest.mark.parametrize("kind", (PLAIN, HEAVY, ADAM))
@pytest.mark.parametrize(("text", "share"), SCHEDULES)
def test_a_schedule(
    tolerance: float,
    seed: int,
    kind: tuple[Optimiser, Rated],
    text: str,
    share: Callable[[int], float],
) -> None:
    step = scheduled(kind[1], lambda t: 0.1 * share(t))
    assert _says(kind, step, tolerance, seed) == (text, None, None)


@pytest.mark.parametrize("nesterov", (False, True))
def test_a_schedule_within_the_velocity(tolerance: float, seed: int, nesterov: bool) -> None:
    def step(s: dict[str, np.ndarray], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
        now = 0.1 * 0.9 ** (t - 1) * g
        s["v"] = 0.9 * s.get("v", np.zeros_like(g)) + now
        return w - (now + 0.9 * s["v"] if nesterov else s["v"])

    says, _, _ = _says(AHEAD if nesterov else HEAVY, step, tolerance, seed)
    assert says == (
        "the learning rate is multiplied by 0.9 after every update, and is multiplied into what "
        "the velocity takes"
    )


def test_a_rate_that_falls_too_little_to_say_how(tolerance: float, seed: int) -> None:
    if tolerance == DOUBLE:
        step = scheduled(sgd, lambda t: 0.1 * (1 - 1e-5) ** (t - 1))
        says, _, _ = _says(PLAIN, step, tolerance, seed)
        assert says == "the learning rate falls by about 1e-05 of itself at every update"


def test_the_models_own_fall_is_left_out(tolerance: float, seed: int) -> None:
    kind = (RMSprop(0.1, decay=0.02), rmsprop)
    says, _, _ = _says(kind, rmsprop(0.1), tolerance, seed)
    assert says == "the learning rate does not fall: the model's decay of 0.02 is left out"


def test_the_models_own_fall_is_another(tolerance: float, seed: int) -> None:
    kind = (RMSprop(0.1, decay=0.02), rmsprop)
    says, _, _ = _says(kind, rmsprop(0.1, fall=0.05), tolerance, seed)
    assert says == (
        "the learning rate falls as 1/(1 + 0.05·t) with the number t of updates made, "
        "where the model's falls as 1/(1 + 0.02·t)"
    )


GROUPS: list[tuple[Callable[[str], float], str, str | None]] = [
    (
        lambda n: 2.0 if "bias" in n else 1.0,
        "the learning rate of every bias is twice the model's (0.2, not 0.1); the others are right",
        None,
    ),
    (
        lambda n: 0.1 if "fc2" in n else 1.0,
        "is updated with 0.1 times the model's learning rate (0.01, not 0.1)",
        "fc2",
    ),
    (
        lambda n: 10.0 if n == "fc1.bias" else 1.0,
        "is updated with 10 times the model's learning rate (1, not 0.1)",
        "fc1.bias",
    ),
    (lambda n: float(n != "fc1.weight"), "is not trained: it never changes", "fc1.weight"),
    (lambda n: float("conv1" not in n), "is not trained: it never changes", "conv1"),
    (
        lambda n: float("bias" not in n),
        "every bias: not trained, these never change",
        None,
    ),
    (
        lambda n: {"conv1": 0.01, "fc1": 0.1}.get(n.partition(".")[0], 1.0),
        "the learning rate is 0.01 times the model's in conv1 and 0.1 times the model's in fc1; "
        "the others have the model's",
        None,
    ),
]


@pytest.mark.parametrize("count", (3, 8))
@pytest.mark.parametrize("kind", (PLAIN, AHEAD, ADAM, RMS))
@pytest.mark.parametrize(("share", "text", "place"), GROUPS)
def test_groups(
    tolerance: float,
    seed: int,
    kind: tuple[Optimiser, Rated],
    share: Callable[[str], float],
    text: str,
    place: str | None,
    count: int,
) -> None:
    step = grouped(kind[1], lambda n: 0.1 * share(n))
    assert _says(kind, step, tolerance, seed, count) == (text, place, None)
