"""Right programs, with all the rounding that is theirs: nothing is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from update_cases import DOUBLE, SINGLE, Step, adam, momentum, rmsprop, sgd, trained

from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.oracle.conventions import ADAM_EPSILON_BEFORE_CORRECTION
from tensorstone.proof.measuring.updates import describe_updates

BEFORE = frozenset({ADAM_EPSILON_BEFORE_CORRECTION})


def _single(value: float) -> float:
    return float(np.float32(value))


def _programs(rate: float) -> list[tuple[Optimiser, Step, frozenset[str]]]:
    none: frozenset[str] = frozenset()
    return [
        (SGD(rate), sgd(rate), none),
        (Momentum(rate, 0.9), momentum(rate, 0.9), none),
        (Momentum(rate, 0.5, nesterov=True), momentum(rate, 0.5, nesterov=True), none),
        (Adam(rate), adam(rate), none),
        (Adam(rate, 0.8, 0.99, 1e-5), adam(rate, 0.8, 0.99, 1e-5, "before"), BEFORE),
        (RMSprop(rate, 0.99, 1e-6, 0.01), rmsprop(rate, 0.99, 1e-6, fall=0.01), none),
        # Constants in float32, whatever arrays are.
        (SGD(rate), sgd(_single(rate)), none),
        (Momentum(rate, 0.9), momentum(_single(rate), _single(0.9)), none),
        (Adam(rate), adam(*map(_single, (rate, 0.9, 0.999, 1e-8))), none),
        (RMSprop(rate), rmsprop(*map(_single, (rate, 0.9, 1e-7))), none),
    ]


@pytest.mark.parametrize("count", (3, 8))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize("seed", range(50))
def test_nothing_is_said(seed: int, tolerance: float, count: int) -> None:
    draw = np.random.default_rng(seed)
    rate, size = 10.0 ** draw.uniform(-4, -0.5), 10.0 ** draw.uniform(-6, 2)
    for model, step, conventions in _programs(rate):
        if size * rate > 0.5 and not isinstance(model, Adam | RMSprop):
            continue  # it diverges
        given = trained(model, step, tolerance, seed, count, conventions, size=size)
        assert describe_updates(given) is None, model


@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize("seed", range(20))
def test_rounding_three_times_too_large_has_nothing(seed: int, tolerance: float) -> None:
    draw = np.random.default_rng(seed)
    for model, step, conventions in _programs(0.05):

        def rough(s, n, w, g, t, step=step):  # type: ignore[no-untyped-def]
            change = w - step(s, n, w, g, t)
            return w - change * (1 + 3 * tolerance * draw.uniform(-1, 1, size=w.shape))

        given = trained(model, rough, tolerance, seed, 8, conventions)
        assert describe_updates(given) is None, model


@pytest.mark.parametrize("seed", range(20))
def test_a_decay_that_rounding_imitates_is_not_named(seed: int) -> None:
    given = trained(RMSprop(0.01), rmsprop(0.01, decay=1e-5), SINGLE, seed)
    assert describe_updates(given) is None
