"""The levels of a proof: a program's numbers held against what is expected of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tensorstone.oracle import Arrays
from tensorstone.proof.expectation import Expectation
from tensorstone.proof.numbers import Numbers
from tensorstone.proof.tolerance import Bound, distance
from tensorstone.results.proof import Error


@dataclass(frozen=True)
class CheckedLevel:
    """One level's outcome: the error, relative, of the array nearest to (or furthest past) its
    tolerance."""

    error: float
    tolerance: float
    passed: bool
    worst: str = ""  # that array's name
    arrays: Mapping[str, Error] = field(default_factory=dict)  # every one's, by name

    @property
    def ratio(self) -> float:
        if not math.isfinite(self.error):
            return math.inf
        return self.error / self.tolerance if self.tolerance else self.error

    @property
    def noise(self) -> bool:
        """A gradient that is zero but for rounding, and therefore says little."""
        return self.passed and self.tolerance >= 1


def compare(observed: Arrays, expected: Arrays, bounds: Mapping[str, Bound]) -> CheckedLevel:
    """The level's outcome: every array must be within its own tolerance."""
    found = {
        name: _array(observed.get(name), expected[name], bounds[name], name) for name in expected
    }
    worst = max(found.values(), key=_says)
    return replace(worst, arrays={name: kept_error(level) for name, level in found.items()})


def compare_all(observed: Numbers, known: Expectation) -> dict[str, CheckedLevel]:
    """Every level as it is reported; the trace is its two probes, the worse of them."""
    found = {
        name: compare(observed[name], known.numbers[name], known.bounds[name]) for name in observed
    }
    if "small" in found:
        quiet, trace = found.pop("small"), found["trace"]
        small = {f"{name}, small gradients": error for name, error in quiet.arrays.items()}
        found["trace"] = replace(max(trace, quiet, key=_says), arrays={**trace.arrays, **small})
    return found


def failing(observed: Arrays, expected: Arrays, bounds: Mapping[str, Bound]) -> list[str]:
    """The arrays past their tolerance, in the order they are expected."""
    levels = (_array(observed.get(n), expected[n], bounds[n], n) for n in expected)
    return [level.worst for level in levels if not level.passed]


def kept_error(level: CheckedLevel) -> Error:
    """What is kept of one array. There is no number where it is missing or not comparable."""
    return Error(finite(level.error), finite(level.tolerance))


def finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _says(level: CheckedLevel) -> tuple[bool, float]:
    """The worst is what a level is reported by, but not what is noise by itself."""
    return not level.noise, level.ratio


def _array(
    observed: np.ndarray | None, expected: np.ndarray, bound: Bound, name: str
) -> CheckedLevel:
    if observed is None:
        return CheckedLevel(float("inf"), bound.tolerance, False, name)
    # Where the oracle itself diverges in float32 nothing can be proven, so nothing is.
    known = math.isfinite(bound.tolerance)
    error = distance(observed, expected, bound) if known else math.inf
    return CheckedLevel(error, bound.tolerance, known and error <= bound.tolerance, name)
