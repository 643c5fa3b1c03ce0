"""Optimisers that divide by the size of past gradients, for K rows of constants at once."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tensorstone.proof.measuring.update_rules import Constants, Gradients

# Where epsilon joins: √v̂ + ε, √v + ε before the correction, √(v̂ + ε), √(v + ε) before it.
Place = Literal["after", "before", "inside", "inside-before"]
Corrected = Literal["both", "none", "first", "second"]
_PSI = 0.004  # how NAdam's momentum rises


def root(v: Any, second: Any, epsilon: Any, place: Place) -> Any:
    """What a step is divided by, with the correction of v."""
    if place == "before":
        return (np.sqrt(v) + epsilon) / np.sqrt(second)
    if place == "inside":
        return np.sqrt(v / second + epsilon)
    if place == "inside-before":
        return np.sqrt(v + epsilon) / np.sqrt(second)
    return np.sqrt(v / second) + epsilon


def adam(
    g: Gradients,
    c: Constants,
    place: Place = "after",
    corrected: Corrected = "both",
    kind: Literal["", "largest", "largest-corrected", "belief", "belief-plain", "yogi"] = "",
    ahead: Literal["", "simple", "next", "scheduled"] = "",
    counted: int | None = None,  # the number every update has, where it does not rise
    late: int = 0,  # added to the update's number
) -> list[np.ndarray]:
    """Adam and those of its relatives that differ in one line."""
    one, two, epsilon = c["beta1"], c["beta2"], c["epsilon"]
    m: Any = np.zeros(1)
    v, largest, product, found = m, m, np.ones(1), []
    for number, x in enumerate(g, start=1):
        t = (counted or number) + late
        m = one * m + (1 - one) * x
        if kind == "yogi":
            v = v - (1 - two) * np.sign(v - x * x) * x * x
        else:
            gap = x - m if kind.startswith("belief") else x
            v = two * v + (1 - two) * gap * gap + (epsilon if kind == "belief" else 0)
        first = 1 - one**t if corrected in ("both", "first") else np.ones(1)
        second = 1 - two**t if corrected in ("both", "second") else np.ones(1)
        size = v
        if kind == "largest":
            size = largest = np.maximum(largest, v)
        elif kind == "largest-corrected":
            largest = np.maximum(largest, v / second)
            size = largest * second
        up = m / first
        if ahead == "simple":
            up = (one * m + (1 - one) * x) / first
        elif ahead == "next":
            up = one * m / (1 - one ** (t + 1)) + (1 - one) * x / first
        elif ahead == "scheduled":
            now, then = (one * (1 - 0.5 * 0.96 ** (k * _PSI)) for k in (t, t + 1))
            product = product * now
            up = (1 - now) / (1 - product) * x + then / (1 - product * then) * m
        found.append(c["rate"] * up / root(size, second, epsilon, place))
    return found


def radam(g: Gradients, c: Constants, least: float = 5.0) -> list[np.ndarray]:
    """Rectified Adam: no division until the variance of v̂ is known."""
    one, two = c["beta1"], c["beta2"]
    m: Any = np.zeros(1)
    v, found = m, []
    most = 2 / (1 - two) - 1
    for t, x in enumerate(g, start=1):
        m, v = one * m + (1 - one) * x, two * v + (1 - two) * x * x
        length = most - 2 * t * two**t / (1 - two**t)
        top = (length - 4) * (length - 2) * most
        share = np.sqrt(np.abs(top / ((most - 4) * (most - 2) * length)))
        divided = share / root(v, 1 - two**t, c["epsilon"], "before")
        found.append(c["rate"] * m / (1 - one**t) * np.where(length > least, divided, 1.0))
    return found


def adamax(g: Gradients, c: Constants, inside: bool = True) -> list[np.ndarray]:
    one, two = c["beta1"], c["beta2"]
    m: Any = np.zeros(1)
    u, found = m, []
    for t, x in enumerate(g, start=1):
        m = one * m + (1 - one) * x
        u = np.maximum(two * u, np.abs(x) + (c["epsilon"] if inside else 0))
        below = u if inside else u + c["epsilon"]
        found.append(c["rate"] * m / (1 - one**t) / below)
    return found


def adagrad(g: Gradients, c: Constants, inside: bool = False) -> list[np.ndarray]:
    total: Any = c.get("start", np.zeros((1, 1)))
    found = []
    for x in g:
        total = total + x * x
        below = root(total, 1.0, c["epsilon"], "inside" if inside else "after")
        found.append(c["rate"] * x / below)
    return found


def adadelta(g: Gradients, c: Constants) -> list[np.ndarray]:
    a: Any = np.zeros(1)
    moved, found = a, []
    for x in g:
        a = c["rho"] * a + (1 - c["rho"]) * x * x
        step = np.sqrt(moved + c["epsilon"]) / np.sqrt(a + c["epsilon"]) * x
        moved = c["rho"] * moved + (1 - c["rho"]) * step * step
        found.append(c["rate"] * step)
    return found


def rmsprop(
    g: Gradients,
    c: Constants,
    inside: bool = False,
    centred: bool = False,
    corrected: bool = False,
    late: bool = False,
) -> list[np.ndarray]:
    """With `momentum`, `start` and `decay` where there are these constants."""
    a: Any = c.get("start", np.zeros((1, 1)))
    mean: Any = np.zeros(1)
    v, found = mean, []
    for t, x in enumerate(g):
        before, a = a, c["rho"] * a + (1 - c["rho"]) * x * x
        mean = c["rho"] * mean + (1 - c["rho"]) * x
        size = before if late else np.maximum(a - mean * mean, 0) if centred else a
        second = 1 - c["rho"] ** (t + 1) if corrected else 1.0
        rate = c["rate"] / (1 + c["decay"] * t) if "decay" in c else c["rate"]
        step = x / root(size, second, c["epsilon"], "inside" if inside else "after")
        v = c["momentum"] * v + step if "momentum" in c else step
        found.append(rate * v)
    return found
