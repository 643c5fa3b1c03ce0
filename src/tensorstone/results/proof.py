"""How a program's numbers compare with the oracle's, and under which conditions."""

from __future__ import annotations

import math

from msgspec import Struct

from tensorstone.results.conditions import Conditions
from tensorstone.results.outcome import Outcome


class Error(Struct, frozen=True):
    """One array's largest error and what is allowed, both relative. None where there is no number:
    the array is missing, has another shape, or holds what is no number."""

    error: float | None
    bound: float | None

    @property
    def ratio(self) -> float:
        """Above 1 it failed."""
        if self.error is None or self.bound is None:
            return math.inf
        return self.error / self.bound if self.bound else self.error


class Level(Struct, frozen=True):
    """One level's outcome: the error, relative, of the array nearest to (or furthest past) its
    bound; and every array's."""

    error: float | None
    tolerance: float | None
    passed: bool | None  # None: nothing can be said, and `reason` says why
    worst: str = ""  # that array's name
    reason: str = ""
    arrays: dict[str, Error] = {}


class DoublePrecision(Struct, frozen=True):
    """The second opinion on a program past its float32 bound: the same program in float64."""

    agrees: bool | None = None  # None: the framework cannot, and `absent` says why
    error: float | None = None  # of the array nearest to (or furthest past) what is allowed
    tolerance: float | None = None
    worst: str = ""  # that array's name
    changed: str = ""  # what was changed for it to compute in float64
    absent: str = ""


class Proof(Struct, frozen=True):
    """A program is proven by its text: another text, or other conditions, is another proof."""

    outcome: Outcome
    program_sha: str = ""
    conditions: Conditions | None = None
    levels: dict[str, Level] = {}
    diagnosis: str | None = None  # a name from the catalogue of deviations
    first_layer: str | None = None  # where it is, or where numbers first differ
    detail: str = ""  # of the diagnosis: "epsilon 1e-07 instead of 1e-08"
    conventions: tuple[str, ...] = ()  # permitted variants that this workload's numbers depend on
    excluded: float = 0.0  # share of weights whose trace is only rounding noise
    version: str = ""  # of the framework that ran
    double: DoublePrecision | None = None  # only where a float32 number was past its bound
    exempt: str = ""  # why there is nothing to prove (a program of the harness's own)

    @property
    def ok(self) -> bool:
        return self.outcome.ok
