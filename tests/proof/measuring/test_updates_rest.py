"""Clipping, averaging, rounding and what else is done to gradients, steps and weights."""

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
    Problem,
    Step,
    adagrad,
    adam,
    momentum,
    rmsprop,
    sgd,
    trained,
)

from tensorstone.models.recipe import SGD, Adam, Momentum, Optimiser, RMSprop
from tensorstone.proof.measuring.update_schedules import schedule
from tensorstone.proof.measuring.updates import UpdateEvidence, describe_updates

PLAIN, HEAVY, ADAM, RMS = SGD(0.1), Momentum(0.1, 0.9), Adam(1e-2), RMSprop(1e-2)
BROUGHT = "brought to a norm of 1 (clipped to it, or divided by their norm)"
Before = Callable[[list[Arrays], int], Arrays]


def _each(change: Callable[[np.ndarray], np.ndarray]) -> Before:
    return lambda used, t: {n: change(g) for n, g in used[t].items()}


def _norm(arrays: Arrays) -> float:
    return float(np.sqrt(sum(np.square(a).sum() for a in arrays.values())))


def _clipped(limit: float, added: float = 0.0) -> Before:
    def before(used: list[Arrays], t: int) -> Arrays:
        share = min(1.0, limit / (_norm(used[t]) + added))
        return {n: share * g for n, g in used[t].items()}

    return before


def _twice(step: Step, counted: bool) -> Step:
    def both(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
        first = step(s, n, w, g, 2 * t - 1 if counted else t)
        return step(s, n, first, g, 2 * t if counted else t)

    return both


def _forgetting(step: Step) -> Step:
    return lambda s, n, w, g, t: step({}, n, w, g, 1)


def _lookahead(step: Step, every: int, share: float) -> Step:
    def ahead(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
        slow = s.setdefault("slow", w)
        w = step(s, n, w, g, t)
        if t % every == 0:
            w = s["slow"] = slow + share * (w - slow)
        return w

    return ahead


def _on(change: Callable[[np.ndarray], np.ndarray], step: Step) -> Step:
    """The weights after each update, changed."""
    return lambda s, n, w, g, t: change(step(s, n, w, g, t))


def _asgd(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    """torch.optim.ASGD with lambd=0.1."""
    eta = s.get("eta", 0.1)
    s["eta"] = 0.1 / (1 + 0.1 * 0.1 * t) ** 0.75
    return w * (1 - 0.1 * eta) - eta * (g + 0)


def _step_clipped(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    return w - np.clip(w - adam(1e-2)(s, n, w, g, t), -0.005, 0.005)


def _lars(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    return w - 0.01 * np.linalg.norm(w) / np.linalg.norm(g) * g


def _centred(g: np.ndarray) -> np.ndarray:
    return g - g.mean(tuple(range(1, g.ndim)), keepdims=True) if g.ndim > 1 else g


CASES: list[tuple[Optimiser, Step, Before | None, str]] = [
    (PLAIN, sgd(0.1), _clipped(0.5), "gradients are clipped to a norm of 0.5 over all arrays"),
    (
        PLAIN,
        sgd(0.1),
        _clipped(0.5, 1e-6),
        "gradients are clipped to a norm of 0.5 over all arrays",
    ),
    (
        HEAVY,
        momentum(0.1, 0.9),
        _clipped(0.8),
        "gradients are clipped to a norm of 0.8 over all arrays",
    ),
    (
        HEAVY,
        momentum(0.1, 0.9),
        _each(lambda g: g * min(1.0, 0.3 / float(np.linalg.norm(g)))),
        "each array's gradient is clipped to a norm of 0.3",
    ),
    (
        HEAVY,
        momentum(0.1, 0.9),
        _each(lambda g: np.clip(g, -0.2, 0.2)),
        "each gradient is clipped to ±0.2 in the optimiser",
    ),
    (ADAM, _step_clipped, None, "each number's step is clipped to ±0.005"),
    (
        PLAIN,
        _on(lambda w: np.clip(w, -0.5, 0.5), sgd(0.1)),
        None,
        "weights are clipped to ±0.5 after every update",
    ),
    (
        ADAM,
        _on(lambda w: np.maximum(w, 0), adam(1e-2)),
        None,
        "weights that fall below zero are set to zero",
    ),
    (
        ADAM,
        _lookahead(adam(1e-2), 5, 0.5),
        None,
        "every 5 updates the weights are set to 0.5 of the way from where they were at the last "
        "such time (lookahead)",
    ),
    (
        PLAIN,
        _lookahead(sgd(0.1), 2, 0.8),
        None,
        "every 2 updates the weights are set to 0.8 of the way from where they were at the last "
        "such time (lookahead)",
    ),
    (HEAVY, _twice(momentum(0.1, 0.9), True), None, "every update is made twice"),
    (ADAM, _twice(adam(1e-2), True), None, "every update is made twice"),
    (RMS, _twice(rmsprop(1e-2), True), None, "every update is made twice"),
    (
        RMS,
        _forgetting(rmsprop(1e-2)),
        None,
        "what the optimiser remembers is lost after every step: each is a first step",
    ),
    (
        ADAM,
        lambda s, n, w, g, t: adam(1e-2)(s, n, w, g, 1),
        None,
        "the update's number stays 1: the corrections do not change",
    ),
    (
        ADAM,
        lambda s, n, w, g, t: adam(1e-2)(s, n, w, g, t + 1),
        None,
        "the update's number begins at 2",
    ),
    (
        PLAIN,
        sgd(0.1),
        _each(np.sign),
        "each step is the learning rate times the gradient's sign",
    ),
    (
        PLAIN,
        lambda s, n, w, g, t: w - 0.1 * (g + 0.01 * np.sign(w)),
        None,
        "0.01 × the weight's sign is added to the gradient (L1)",
    ),
    (
        PLAIN,
        sgd(0.1),
        lambda used, t: {n: g / _norm(used[t]) for n, g in used[t].items()},
        f"all gradients together are {BROUGHT}",
    ),
    (
        HEAVY,
        momentum(0.1, 0.9),
        _each(lambda g: g / np.linalg.norm(g)),
        f"each array's gradients are {BROUGHT}",
    ),
    (
        HEAVY,
        momentum(0.1, 0.9),
        lambda used, t: {n: sum(one[n] for one in used) / len(used) for n in used[t]},
        "each update is made of the mean of all gradients so far",
    ),
    (PLAIN, _lars, None, "each array's step has 0.01 times the norm of its weights (as in LARS)"),
]


def _describe(
    model: Optimiser, step: Step, tolerance: float, seed: int, **settings: Any
) -> tuple[str, str | None, str | None] | None:
    found = describe_updates(trained(model, step, tolerance, seed, **settings))
    return found and (found.says, found.place, found.name)


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize(("model", "step", "before", "text"), CASES, ids=shown)
def test_what_is_done(
    model: Optimiser, step: Step, before: Before | None, text: str, tolerance: float, seed: int
) -> None:
    assert _describe(model, step, tolerance, seed, before=before) == (text, None, None)


@pytest.mark.parametrize("seed", seeds(3))
def test_which_norm_gradients_have_shows_under_adam_in_double(seed: int) -> None:
    step = adam(1e-2)
    text = "gradients are clipped to a norm of 0.2 over all arrays"
    assert _describe(ADAM, step, DOUBLE, seed, before=_clipped(0.2)) == (text, None, None)
    text = f"all gradients together are {BROUGHT.replace('a norm of 1', 'one and the same norm')}"
    assert _describe(ADAM, step, SINGLE, seed, before=_clipped(0.2)) == (text, None, None)


@pytest.mark.parametrize("seed", seeds(3))
def test_asgd_shows_in_double(seed: int) -> None:
    text = "ASGD's update: 0.1 × weight is added to the gradient, and the rate falls with it"
    assert _describe(PLAIN, _asgd, DOUBLE, seed) == (text, None, None)


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
def test_centred_gradients_change_matrices_alone(tolerance: float, seed: int) -> None:
    found = _describe(HEAVY, momentum(0.1, 0.9), tolerance, seed, before=_each(_centred))
    text = "the mean of each output's gradients is taken from them (gradient centralisation)"
    assert found == (text, None, None)


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize(("kind", "called"), [(np.float16, "float16"), (np.float32, "float32")])
def test_weights_of_fewer_digits(kind: type, called: str, seed: int) -> None:
    step = _on(lambda w: w.astype(kind).astype(np.float64), sgd(0.1))
    assert _describe(PLAIN, step, DOUBLE, seed) == (
        f"weights are rounded to {called} after every update",
        None,
        None,
    )


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize("count", (3, 8))
def test_an_average_of_weights_is_only_measured(tolerance: float, seed: int, count: int) -> None:
    """Its gradients are taken where nobody looks: the first step alone is known."""
    problem = Problem(seed, count)
    hidden, weights, gradients = problem.start, [problem.start], []
    for t in range(count):
        g = problem.gradient(t, hidden)
        hidden = {n: w - 0.1 * g[n] for n, w in hidden.items()}
        gradients.append(problem.gradient(t, weights[-1]))
        weights.append({n: 0.9 * w + 0.1 * hidden[n] for n, w in weights[-1].items()})
    given = UpdateEvidence(PLAIN, frozenset(), tuple(weights), tuple(gradients), tolerance)
    found = describe_updates(given)
    assert found is not None
    assert found.says == "every array's first step is 0.1 of the model's, later ones are not"


@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize("count", (3, 8))
@pytest.mark.parametrize("model", (PLAIN, HEAVY, ADAM, RMS))
def test_what_nothing_explains_gets_no_name(
    model: Optimiser, tolerance: float, seed: int, count: int
) -> None:
    draw = np.random.default_rng(seed)
    size = 10.0 ** -draw.integers(1, 4)

    def step(s: dict[str, Any], n: str, w: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
        return w - 0.1 * g * (1 + size * draw.normal(size=w.shape))

    found = _describe(model, step, tolerance, seed, count=count)
    if found:
        assert found[2] is None
        assert found[0].startswith(("takes a first step", "moves as the model says"))


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
def test_noise_is_measured(tolerance: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    names = [f"fc{k}.weight" for k in range(4)]
    weights = [{n: draw.normal(size=(20, 20)) for n in names}]
    gradients = []
    for _ in range(8):
        gradients.append({n: draw.normal(size=(20, 20)) for n in names})
        weights.append(
            {
                n: w - 0.1 * gradients[-1][n] + 0.02 * draw.normal(size=w.shape)
                for n, w in weights[-1].items()
            }
        )
    given = UpdateEvidence(PLAIN, frozenset(), tuple(weights), tuple(gradients), tolerance)
    found = describe_updates(given)
    assert found is not None
    assert found.says == (
        "noise with a deviation of about 0.02 is added to every weight at every update"
    )


def test_one_rate_for_all_updates_is_no_schedule() -> None:
    error = np.full(8, 1e-5)
    for ratio in (np.ones(8), np.full(8, 0.3), 1 + error * np.linspace(-1, 1, 8)):
        assert schedule(ratio, error) is None


TWO: list[tuple[Optimiser, Step, str]] = [
    (
        PLAIN,
        sgd(0.02, 0.05),
        "weight decay: 0.05 × weight is added to the gradient (L2), "
        "the learning rate is 0.02, not 0.1",
    ),
    (
        ADAM,
        adam(0.05, decoupled=0.1),
        "decoupled weight decay: 0.1 × rate × weight is taken in every step, "
        "the learning rate is 0.05, not 0.01",
    ),
    (ADAM, adagrad(0.3), "Adagrad is computed, not Adam, the learning rate is 0.3, not 0.01"),
    (
        RMS,
        rmsprop(1e-2, eps=1e-3, how="inside"),
        "epsilon stands under the square root, epsilon is 0.001, not 1e-07",
    ),
    (
        ADAM,
        adam(0.05, 0.8, 0.95),
        "the learning rate is 0.05, not 0.01 and beta1 is 0.8, not 0.9 and "
        "beta2 is 0.95, not 0.999",
    ),
]


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("tolerance", (DOUBLE, SINGLE))
@pytest.mark.parametrize(("model", "step", "text"), TWO, ids=shown)
def test_two_constants(
    model: Optimiser, step: Step, text: str, tolerance: float, seed: int
) -> None:
    assert _describe(model, step, tolerance, seed) == (text, None, None)
