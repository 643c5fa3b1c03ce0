"""The proof as it is kept and shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tensorstone.proof.deviations import MEANINGS
from tensorstone.proof.diagnosis import Diagnosis
from tensorstone.proof.levels import Level
from tensorstone.results.outcome import Outcome, Status


@dataclass(frozen=True)
class Proof:
    """How a program's numbers compare with the oracle's."""

    status: Status
    reason: str = ""
    levels: Mapping[str, Level] = field(default_factory=dict)
    diagnosis: str | None = None  # a name from the catalogue of deviations
    first_layer: str | None = None  # where it is, or where numbers first part
    detail: str = ""  # of the diagnosis: "epsilon 1e-07 instead of 1e-08"
    conventions: tuple[str, ...] = ()  # permitted variants that this workload's numbers depend on
    excluded: float = 0.0  # share of weights whose trace is only rounding noise
    version: str = ""  # of the framework that ran
    last_words: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.status, self.reason, self.last_words)

    def to_json(self) -> dict[str, Any]:
        return {
            "levels": {name: _level(level) for name, level in self.levels.items()},
            "diagnosis": self.diagnosis,
            "first_layer": self.first_layer,
            "detail": self.detail,
            "conventions": list(self.conventions),
            "excluded": self.excluded,
            "status": self.status,
            "reason": self.reason,
            "version": self.version,
            "last_words": self.last_words,
        }


def accepted(
    levels: Mapping[str, Level], conventions: tuple[str, ...], excluded: float, version: str
) -> Proof:
    return Proof("ok", levels=levels, conventions=conventions, excluded=excluded, version=version)


def refused(
    levels: Mapping[str, Level],
    found: Diagnosis | None,
    first_layer: str | None,
    conventions: tuple[str, ...],
) -> Proof:
    """Unequal, and as much of the reason as is known."""
    return Proof(
        "unequal",
        _explained(found) if found else _located(levels, first_layer),
        levels,
        found.name if found else None,
        found.place if found else first_layer,
        found.detail if found else "",
        conventions,
    )


def _explained(found: Diagnosis) -> str:
    place = f" at {found.place}" if found.place else ""
    detail = f" ({found.detail})" if found.detail else ""
    return f"{found.name}{place}: {MEANINGS[found.name]}{detail}"


def _located(levels: Mapping[str, Level], first_layer: str | None) -> str:
    name, level = next((n, level) for n, level in levels.items() if not level.passed)
    if name == "shape":
        return f"the weights are not the model's: {level.worst}"
    where = f"; numbers first part at {first_layer}" if first_layer else ""
    return (
        f"{name}: {level.worst} is off by {level.error:.1e}, {level.tolerance:.1e} is allowed, "
        f"and no known deviation explains it{where}"
    )


def from_json(kept: Mapping[str, Any]) -> Proof:
    """The reverse of `to_json`."""
    levels = {
        name: Level(
            math.inf if level["error"] is None else float(level["error"]),
            math.inf if level["tolerance"] is None else float(level["tolerance"]),
            bool(level["passed"]),
            str(level["worst"]),
        )
        for name, level in kept["levels"].items()
    }
    rest = {key: value for key, value in kept.items() if key not in ("levels", "conventions")}
    return Proof(levels=levels, conventions=tuple(kept["conventions"]), **rest)


def _level(level: Level) -> dict[str, Any]:
    # JSON has no infinity: an error without a number (NaN, other shapes) is null.
    return {
        "error": level.error if math.isfinite(level.error) else None,
        "tolerance": level.tolerance if math.isfinite(level.tolerance) else None,
        "passed": level.passed,
        "worst": level.worst,
    }
