"""Optimisers: the formulas of `models/recipe.py`, for one array at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tensorstone.models.recipe import SGD, Adam, Momentum, RMSprop
from tensorstone.oracle.case import Arrays, Case
from tensorstone.oracle.conventions import ADAM_EPSILON_BEFORE_CORRECTION

State = tuple[np.ndarray, ...]  # what an optimiser remembers of one weight, zero at the start
Rule = Callable[[Case, int, np.ndarray, State], tuple[np.ndarray, State]]
WEIGHT_DECAY = 1e-4


def _sgd(case: Case, t: int, g: np.ndarray, state: State) -> tuple[np.ndarray, State]:
    assert isinstance(case.optimiser, SGD)
    return case.optimiser.rate * g, ()


def _momentum(case: Case, t: int, g: np.ndarray, state: State) -> tuple[np.ndarray, State]:
    o = case.optimiser
    assert isinstance(o, Momentum)
    if "unit-gain-momentum" in case.quirks:
        g = (1 - o.momentum) * g
    v = o.momentum * state[0] + g
    return o.rate * (g + o.momentum * v if o.nesterov else v), (v,)


def _adam(case: Case, t: int, g: np.ndarray, state: State) -> tuple[np.ndarray, State]:
    o = case.optimiser
    assert isinstance(o, Adam)
    m = o.beta1 * state[0] + (1 - o.beta1) * g
    v = o.beta2 * state[1] + (1 - o.beta2) * np.square(g)
    # Most frameworks hold the betas in float32, where 1 − 0.999 is off by 1e-5: in float32 the
    # oracle must lose what they lose.
    first, second = (float(1 - g.dtype.type(beta) ** t) for beta in (o.beta1, o.beta2))
    if "no-bias-correction" in case.quirks:
        first = second = 1.0
    if ADAM_EPSILON_BEFORE_CORRECTION in case.conventions:
        rate = o.rate * math.sqrt(second) / first
        return rate * m / _root(case, v, o.epsilon), (m, v)
    return o.rate * (m / first) / _root(case, v / second, o.epsilon), (m, v)


def _rmsprop(case: Case, t: int, g: np.ndarray, state: State) -> tuple[np.ndarray, State]:
    o = case.optimiser
    assert isinstance(o, RMSprop)
    a = o.rho * state[0] + (1 - o.rho) * np.square(g)
    rate = o.rate / (1 + o.decay * (t - 1))
    return rate * g / _root(case, a, o.epsilon), (a,)


def _root(case: Case, square: np.ndarray, epsilon: float) -> np.ndarray:
    inside = "epsilon-inside-root" in case.quirks
    root: np.ndarray = np.sqrt(square + epsilon) if inside else np.sqrt(square) + epsilon
    return root


_RULES: dict[type, tuple[Rule, int]] = {  # the rule, and how many state it has
    SGD: (_sgd, 0),
    Momentum: (_momentum, 1),
    Adam: (_adam, 2),
    RMSprop: (_rmsprop, 1),
}


class Updates:
    """One optimiser at work: it keeps its state and the update's number."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._rule, self._count = _RULES[type(case.optimiser)]
        self._state: dict[str, State] = {}
        tables = (w.name for w in case.graph.weights if w.role == "table")
        self._lazy = frozenset(tables if "lazy-rows" in case.quirks else ())
        self._t = 0

    def apply(self, weights: Arrays, gradients: Arrays) -> Arrays:
        """The weights after one update; those without a gradient stay."""
        self._t += 1
        updated = dict(weights)
        for name, g in gradients.items():
            w = weights[name]
            if "weight-decay" in self._case.quirks:
                g = g + (WEIGHT_DECAY * w).astype(g.dtype)
            state = self._state.get(name) or (np.zeros_like(g),) * self._count
            change, after = self._rule(self._case, self._t, g, state)
            if name in self._lazy:
                moved = g.any(axis=1, keepdims=True)
                change = change * moved
                after = tuple(
                    np.where(moved, new, old) for new, old in zip(after, state, strict=True)
                )
            self._state[name] = after
            updated[name] = w - change
        return updated
