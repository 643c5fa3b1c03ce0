"""Optimisers linear in gradients, for K rows of constants at once.

A rule gets the gradients of T updates, each (n,) or (K, n), and gives the T steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

# Each (K, 1); gradients broadcast against them.
Constants = Mapping[str, np.ndarray]
Gradients = Sequence[np.ndarray]
Rule = Callable[[Gradients, Constants], list[np.ndarray]]


def sgd(g: Gradients, c: Constants) -> list[np.ndarray]:
    return [c["rate"] * x for x in g]


def momentum(
    g: Gradients, c: Constants, nesterov: bool = False, first_whole: bool = False
) -> list[np.ndarray]:
    """`dampening` is of what the velocity takes; PyTorch's first step takes all of it."""
    taken = 1 - c["dampening"] if "dampening" in c else 1.0
    rate, kept, v, found = c["rate"], c["momentum"], np.zeros(1), []
    for t, x in enumerate(g):
        v = kept * v + (x if first_whole and t == 0 else taken * x)
        found.append(rate * (x + kept * v if nesterov else v))
    return found


def twice_nesterov(g: Gradients, c: Constants) -> list[np.ndarray]:
    """The look-ahead is made twice: momentum · (g + momentum · v) in the velocity's place."""
    v: Any = np.zeros(1)
    found = []
    for x in g:
        v = c["momentum"] * v + x
        ahead = x + c["momentum"] * v
        found.append(c["rate"] * (x + c["momentum"] * ahead))
    return found


def sign(g: Gradients, c: Constants) -> list[np.ndarray]:
    return [c["rate"] * np.sign(x) for x in g]


def sign_of_velocity(g: Gradients, c: Constants) -> list[np.ndarray]:
    return [c["rate"] * np.sign(v) for v in momentum(g, {**c, "rate": np.ones((1, 1))})]


def lion(g: Gradients, c: Constants) -> list[np.ndarray]:
    m: Any = np.zeros(1)
    found = []
    for x in g:
        found.append(c["rate"] * np.sign(c["beta1"] * m + (1 - c["beta1"]) * x))
        m = c["beta2"] * m + (1 - c["beta2"]) * x
    return found
