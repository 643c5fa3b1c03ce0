"""How far from float64 a correct program may be: measured on the oracle itself, never hand-picked.

The oracle runs again in float32 with every input and weight disturbed at random, and the values of
elementary functions (exponentials, logarithms: libraries approximate them) shifted too. Being
experiments rather than formulas, these runs include what rounding does to *this* model: growth
along the trace, cancellation, a ReLU that falls on its other side. Some are disturbed by many units
in the last place, which is worse than what another order of summation, fused multiplications or
Winograd's transform do; others by one, so that what they show is the rounding inside (which cancels
where a disturbance of the inputs does not reach, in the gradient through a batch norm say). The
largest error seen, times the run's multiple, is the tolerance.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tensorstone.oracle import Arrays

EPSILON = 2.0**-24  # half a unit in the last place of 1 in float32
FLOOR = 16 * EPSILON  # where every run happened to be right
# The best-conditioned weights count fully; beyond this there is only rounding to be seen.
MOST_CONDITIONED = 1e4


@dataclass(frozen=True)
class Disturbance:
    """How a float32 run is disturbed, and how many times its error is allowed."""

    seed: int
    ulps: int
    multiple: float = 1.0
    sign: int = 1


# Either way some forty times what one rounding of every input and weight does. Real frameworks
# stay below half of it on the random models of the test suite, and the deviations of the catalogue
# are above it unless they are harmless (tests/proof).
# The first two are opposites: a ReLU's input that rounding can push over zero, or a tie under a
# max-pool that it can break, falls one way in one of them and the other way in the other.
COARSE = tuple(
    Disturbance(seed, ulps=16, multiple=4.0, sign=sign) for seed, sign in ((1, 1), (1, -1), (2, 1))
)
FINE = tuple(Disturbance(seed, ulps=1, multiple=32.0) for seed in (4, 5, 6))
# Algorithms that lose more than the oracle's, as they are: batch norm's variance in one pass, sums
# taken one value after another.
ONE_PASS = tuple(Disturbance(seed, ulps=1, multiple=8.0) for seed in (7, 8))


@dataclass(frozen=True)
class Bound:
    """The tolerance for one array. Errors are relative to `scale`."""

    scale: float
    tolerance: float
    # Every update rounds a weight once: that much is granted apart, and never multiplied.
    roundings: float = 0
    # Adaptive optimisers turn a gradient that is only rounding noise into a full step: each
    # element counts by how far its gradients are above the noise, and not at all below it.
    weighing: np.ndarray | None = None


def disturbed(array: np.ndarray, by: Disturbance, name: str) -> np.ndarray:
    """The float32 array, every element moved by up to so many units in the last place.

    Whole numbers are left as they are: tokens do not round.
    """
    if np.issubdtype(array.dtype, np.integer):
        return array
    rng = np.random.default_rng([by.seed, zlib.crc32(name.encode())])
    noise = rng.random(array.shape, np.float32)
    noise -= np.float32(0.5)
    noise *= np.float32(4 * by.sign * by.ulps * EPSILON)
    return array + array * noise


def approximated(values: np.ndarray, by: Disturbance) -> np.ndarray:
    """An elementary function's values: rounded by luck, and all off the same way besides, because
    an approximation's own error is not averaged out by a sum."""
    rounded = disturbed(values, by, "elementary")
    shifted: np.ndarray = rounded * values.dtype.type(1 + 2 * by.sign * by.ulps * EPSILON)
    return shifted


def distance(observed: np.ndarray, expected: np.ndarray, bound: Bound) -> float:
    """The largest error, in units of the bound's scale."""
    return _gap(observed, expected, bound) / bound.scale


def bound(
    expected: np.ndarray,
    start: np.ndarray | None,
    members: Sequence[tuple[np.ndarray, Disturbance]],
    roundings: int = 0,
    weighing: np.ndarray | None = None,
    largest: float | None = None,
) -> Bound:
    """The bound that the disturbed members' distances from the float64 array give.

    A weight's error is measured against its change since the `start`, anything else's against
    its own size. `largest` is the largest change of any weight of the model, given for a trained
    weight: members add its updates up in float64, where they round the others (running statistics)
    to nearest, by half a unit.
    """
    change = expected if start is None else expected - start
    scale = max(float(np.abs(change).max(initial=0.0)), 1e-37)
    base = Bound(scale, 0.0, roundings / 2 if largest is None else 0.0, weighing)
    worst = max(by.multiple * _gap(member, expected, base) for member, by in members)
    if not np.isfinite(worst):
        return Bound(scale, np.inf, roundings, weighing)  # it diverges: nothing can be said
    # What is nothing but rounding (the gradient of a bias before a batch norm) has no size of its
    # own to be relative to. If every member happened to cancel to nothing, others need not.
    if worst == 0 and largest is not None and scale < EPSILON * largest:
        worst = FLOOR * largest
    scale = max(scale, worst)
    return Bound(scale, worst / scale + FLOOR, roundings, weighing)


def weighing(expected: list[Arrays], members: Sequence[tuple[list[Arrays], Disturbance]]) -> Arrays:
    """How much each element of each trained weight counts, from its gradients in every update.

    A layer's gradients are sums of terms of about one size: where one of them cancels, what is left
    is the rounding of the others, even if no member happened to show it.
    """
    result: Arrays = {}
    for name, first in expected[0].items():
        layer = name.rpartition(".")[0]
        conditioned = np.full(first.shape, np.inf)
        for step, found in enumerate(expected):
            largest = max(float(np.abs(g).max()) for n, g in found.items() if _of(n, layer))
            noise = max(EPSILON * largest, np.finfo(np.float64).tiny)
            for member, by in members:
                gap = float(np.abs(member[step][name] - found[name]).max())
                noise = max(noise, by.multiple / COARSE[0].multiple * gap)
            size = np.abs(found[name])
            # Nothing reached it in any run (a dead ReLU, a word not in the batch): exactly known.
            absent = (size == 0) & np.all([member[step][name] == 0 for member, _ in members], 0)
            conditioned = np.minimum(conditioned, np.where(absent, np.inf, size / noise))
        known = conditioned[np.isfinite(conditioned)]
        top = min(max(float(known.max(initial=0.0)), 1.0), MOST_CONDITIONED)
        counts = np.minimum(conditioned, top) / top
        counts[conditioned < 1] = 0
        result[name] = counts.astype(np.float32)
    return result


def _of(name: str, layer: str) -> bool:
    return name.rpartition(".")[0] == layer


def _gap(observed: np.ndarray, expected: np.ndarray, bound: Bound) -> float:
    if observed.shape != expected.shape:
        return float("inf")
    gap = np.abs(observed.astype(np.float64) - expected)
    if not np.isfinite(gap).all():
        return float("inf")
    if bound.roundings:
        # The weight was somewhere between where it began and where it ended.
        size = (np.abs(expected) + bound.scale).astype(np.float32)
        gap = np.maximum(gap - bound.roundings * np.spacing(size), 0.0)
    if bound.weighing is not None:
        gap = gap * bound.weighing
    return float(gap.max(initial=0.0))
