"""Does a way of computing explain a program's float64 numbers, to nine digits?

That is how a deviation's name is earned: rounding in float32 imitates small deviations (a weight
decay of 1e-5, say), but nothing imitates nine digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.models.recipe import Adam, RMSprop
from tensorstone.oracle import Arrays
from tensorstone.proof.double_precision import AGREES, CONSTANTS, LOSSES_AGREE, rounded_constants
from tensorstone.proof.numbers import Computation, Numbers
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.probing.run import ProbeRun
from tensorstone.proof.variant import Variant, View

First = dict[str, tuple[float, Arrays, Arrays]]  # by run: loss, gradients, statistics
# Of the largest change of any weight: what is smaller is compared with this. A gradient that is
# zero but for rounding (of a bias before a batch norm) has no size of its own.
LEAST = 1e-6
# Of the layer's largest gradient: an adaptive optimiser makes a full step of what is only rounding.
CLEAR = 1e-7
HOPELESS = 1e-2  # relative: further away, constants in float32 need not be looked at


@dataclass
class DoubleEvidence:
    """A program's float64 numbers, and how far they may be from those that explain them."""

    observed: Numbers
    probe: Probe
    view: View
    enlarged: float = 0.0  # what rounding grows to, as the truth's float32 bounds say

    def ratio(self, variant: Variant, first: First | None = None) -> float | None:
        """How near to what is allowed the worst level comes; None if it explains nothing. `first`
        is the first batch's gradients where they have been computed before."""
        one = Computation(variant, self.probe, self.view, first=first or {})
        other = Computation(rounded_constants(variant), self.probe, self.view)
        worst = 0.0
        for level in self.observed:
            worst = max(worst, self._level(level, one, other))
            if worst > 1:
                return None
        return worst

    def _level(self, level: str, one: Computation, other: Computation) -> float:
        expected = one.level(level)
        observed, sizes = self.observed[level], self._sizes(level, expected)
        counts = _counted(one, level)
        gaps = {
            name: _gap(observed[name], array, counts.get(name)) / sizes[name]
            for name, array in expected.items()
        }
        if not max(gaps.values()) <= HOPELESS:
            return np.inf
        allowed = {name: max(_least(name), self.enlarged) for name in gaps}
        if any(gap > allowed[name] for name, gap in gaps.items()):
            for name, array in other.level(level).items():
                constants = _gap(array, expected[name], counts.get(name)) / sizes[name]
                allowed[name] = max(allowed[name], CONSTANTS * constants)
        return max(gap / allowed[name] for name, gap in gaps.items())

    def _sizes(self, level: str, expected: Arrays) -> dict[str, float]:
        """What errors are relative to: a weight's change, anything else's own size."""
        start = self._start(level)
        sizes = {n: _most(a - start[n]) if n in start else _most(a) for n, a in expected.items()}
        least = LEAST * max((sizes[n] for n in start if n in sizes), default=0.0)
        return {n: max(size, least if n in start else 0.0) or 1.0 for n, size in sizes.items()}

    def _start(self, level: str) -> Arrays:
        runs: dict[str, ProbeRun] = {
            "step": self.probe.step,
            "trace": self.probe.trace,
            "small": self.probe.small,
        }
        return runs[level].weights if level in runs else {}


def _gap(observed: np.ndarray, expected: np.ndarray, counts: np.ndarray | None) -> float:
    if observed.shape != expected.shape:
        return np.inf
    apart = observed - expected
    return _most(apart if counts is None else apart * counts)


def _least(name: str) -> float:
    return LOSSES_AGREE if name == "losses" else AGREES


def _counted(computed: Computation, level: str) -> dict[str, np.ndarray]:
    """1 where an adaptive optimiser's step is known, 0 where the gradient is only rounding."""
    adaptive = isinstance(computed.variant.case.optimiser, Adam | RMSprop)
    if not adaptive or level not in ("trace", "small"):
        return {}
    return dict(_clear(computed.gradients[level]))


def _clear(gradients: list[Arrays]) -> Iterator[tuple[str, np.ndarray]]:
    for name, first in gradients[0].items():
        layer = name.rpartition(".")[0]
        counts = np.ones(first.shape)
        for found in gradients:
            near = (array for n, array in found.items() if n.rpartition(".")[0] == layer)
            largest = max(_most(array) for array in near)
            size = np.abs(found[name])
            counts[(size < CLEAR * largest) & (size != 0)] = 0
        yield name, counts


def _most(array: np.ndarray) -> float:
    found = float(np.abs(array).max(initial=0.0))
    return found if np.isfinite(found) else np.inf
