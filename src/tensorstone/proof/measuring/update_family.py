"""A way of updating with its constants: fitted to the steps, and put in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import numpy as np

from tensorstone.proof.measuring.factors import said
from tensorstone.proof.measuring.regress import fit
from tensorstone.proof.measuring.update_rules import Constants
from tensorstone.proof.measuring.update_steps import Steps
from tensorstone.proof.measuring.update_streams import Compute

_KNOWN = 0.05  # relative: a constant that is known no better is not said
_KNOWN_GAP = 0.3  # of its distance from one
_FAR = 10.0  # precisions between a constant and the model's
_SINGLE = 4 * 2.0**-24  # frameworks keep constants in float32
_ONE = 1e-5  # what keeps more than one less this keeps all
_ROWS = 300  # of a grid
WORDS = {
    "rate": "the learning rate",
    "momentum": "momentum",
    "beta1": "beta1",
    "beta2": "beta2",
    "epsilon": "epsilon",
    "rho": "rho",
}


@dataclass(frozen=True)
class Free:
    """A constant that is fitted: by its logarithm, or ("gap") by that of its distance from one."""

    name: str
    starts: tuple[float, ...]
    by: Literal["log", "gap"] = "log"

    def coded(self, value: float) -> float:
        return float(np.log(1 - value if self.by == "gap" else value))

    def value(self, x: np.ndarray) -> np.ndarray:
        grown: np.ndarray = np.exp(np.clip(x, -80, 80))
        return 1 - grown if self.by == "gap" else grown

    def precision(self, x: float, coded: float) -> float:
        """Absolute, of the value."""
        return float(np.exp(x) * coded) if np.isfinite(coded) else np.inf


@dataclass(frozen=True)
class Family:
    """`says` has a place for constants that the model has not; what differs of those that it has is
    said after it."""

    says: str
    compute: Compute
    constants: Mapping[str, float]
    free: tuple[Free, ...] = ()
    name: str | None = None
    adaptive: bool = False
    meant: Mapping[str, float] = field(default_factory=dict)  # constants the model has too
    own: bool = False  # the model's own rule: nothing but its constants can differ

    def predicted(self, s: Steps, c: Constants) -> np.ndarray:
        with np.errstate(all="ignore"):
            return self.compute(s, c)

    def allowed(self, s: Steps) -> np.ndarray:
        return s.adaptive if self.adaptive else s.allowed


@dataclass(frozen=True)
class Fitted:
    """A family with its constants, and how far each could be off."""

    family: Family
    values: Mapping[str, float]
    precision: Mapping[str, float]
    error: float  # of what is allowed

    def predicted(self, s: Steps) -> np.ndarray:
        """Every step with these constants: (T, n)."""
        c = {name: np.full((1, 1), value) for name, value in self.values.items()}
        found: np.ndarray = self.family.predicted(s, c)[0]
        return found

    def gap(self, s: Steps) -> np.ndarray:
        """The error of every step, of what is allowed: (T, n)."""
        gap = np.abs(self.predicted(s) - s.d) / self.family.allowed(s)
        found: np.ndarray = np.where(np.isfinite(gap), gap, np.inf)
        return found

    @property
    def words(self) -> str | None:
        """The sentence; None where it says nothing that the model does not, or not well."""
        texts = {}
        for free in self.family.free:
            if f"{{{free.name}}}" in self.family.says:
                if not self._known(free):
                    return None
                texts[free.name] = self._said(free.name)
        different = self.differing
        if self.family.own and not different:
            return None
        if not all(self._known(free) for free in self.family.free if free.name in different):
            return None
        own = [
            f"{WORDS[name]} is {self._said(name)}, not {self.family.meant[name]:g}"
            for name in different
        ]
        parts = [self.family.says.format(**texts)] if self.family.says else []
        return ", ".join(parts + [" and ".join(own)] * bool(own))

    def _known(self, free: Free) -> bool:
        """Whether a constant is known well enough to be said: near zero absolutely, near one by
        its distance from it."""
        value, precision = self.values[free.name], self.precision[free.name]
        if free.by == "gap":
            return precision <= _KNOWN_GAP * (1 - value) and 1 - value > _ONE
        return precision <= _KNOWN * abs(value)

    @property
    def differing(self) -> list[str]:
        """Constants that the model has otherwise."""
        return [name for name in self.family.meant if self._differs(name)]

    def _differs(self, name: str) -> bool:
        if name not in self.precision:
            return False
        value, meant = self.values[name], self.family.meant[name]
        least = max(_FAR * self.precision[name], _SINGLE * max(abs(meant), abs(value)))
        gapped = any(free.name == name and free.by == "gap" for free in self.family.free)
        return abs(value - meant) > (max(least, _SINGLE) if gapped else least)

    def _said(self, name: str) -> str:
        value = self.values[name]
        relative = self.precision[name] / max(abs(value), 1e-300)
        if abs(value) <= max(self.precision[name], 1e-12):
            return "0"
        return said(value, min(max(relative, _SINGLE), _KNOWN))


def fitted(family: Family, s: Steps) -> Fitted | None:
    """The family with the constants that explain the steps best."""
    if not family.free:
        one = Fitted(family, family.constants, {}, 0.0)
        return Fitted(family, family.constants, {}, float(one.gap(s).max(initial=0.0)))
    weight = 1 / family.allowed(s)

    def predict(rows: np.ndarray) -> np.ndarray:
        c = {name: np.full((len(rows), 1), value) for name, value in family.constants.items()}
        for k, free in enumerate(family.free):
            c[free.name] = free.value(rows[:, k : k + 1])
        return (family.predicted(s, c) * weight).reshape(len(rows), -1)

    observed = (s.d * weight).ravel()
    starts = [[free.coded(start) for start in free.starts] for free in family.free]
    grid = np.array(list(product(*starts))[:_ROWS])
    names = [free.name for free in family.free]
    if "rate" in names:
        grid[:, names.index("rate")] += _better_rates(predict(grid), observed)
    found = fit(predict, observed, grid)
    if found is None:
        return None
    values, precision = dict(family.constants), {}
    for free, x, coded in zip(family.free, found.x, found.precision, strict=True):
        values[free.name] = float(free.value(np.array(x)))
        precision[free.name] = free.precision(float(x), float(coded))
    return Fitted(family, values, precision, found.error)


def _better_rates(predicted: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """What the logarithm of each row's rate should rise by: steps are multiples of it."""
    with np.errstate(all="ignore"):
        factor = predicted @ observed / np.square(predicted).sum(axis=1)
        found: np.ndarray = np.log(np.where(factor > 0, factor, 1.0))
    return np.where(np.isfinite(found), found, 0.0)
