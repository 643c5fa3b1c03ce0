"""From levels and a diagnosis to the proof as it is kept and shown."""

from __future__ import annotations

from collections.abc import Mapping

from tensorstone.proof import levels as measured
from tensorstone.proof.deviations import MEANINGS
from tensorstone.proof.diagnosis import Diagnosis
from tensorstone.proof.double_precision import SecondOpinion
from tensorstone.proof.levels import finite
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.proof import Level, Proof

Levels = Mapping[str, measured.CheckedLevel]


def accepted(
    levels: Levels,
    conventions: tuple[str, ...],
    excluded: float,
    version: str,
    opinion: SecondOpinion | None = None,
) -> Proof:
    return Proof(
        OK,
        levels=_kept(levels),
        conventions=conventions,
        excluded=excluded,
        version=version,
        double=opinion.kept if opinion else None,
    )


def refused(
    levels: Levels,
    found: Diagnosis | None,
    conventions: tuple[str, ...],
    opinion: SecondOpinion | None = None,
    line: str = "",
) -> Proof:
    """Unequal, and as much of the reason as is known; `line`: of the program, where it stands."""
    said = _explained(found) if found and (found.name or found.detail) else ""
    reason = said or _located(levels, found.place if found else None)
    return Proof(
        Outcome("unequal", f"{reason}; {line}" if line else reason),
        levels=_kept(levels),
        diagnosis=found.name if found else None,
        first_layer=found.place if found else None,
        detail=found.detail if found else "",
        conventions=conventions,
        double=opinion.kept if opinion else None,
    )


def _explained(found: Diagnosis) -> str:
    if found.name is None:
        return f"{found.place} {found.detail}" if found.place else found.detail
    place = f" at {found.place}" if found.place else ""
    detail = f" ({found.detail})" if found.detail else ""
    return f"{found.name}{place}: {MEANINGS[found.name]}{detail}"


def _located(levels: Levels, first_layer: str | None) -> str:
    name, level = next((n, level) for n, level in levels.items() if not level.passed)
    if name == "shape":
        return f"the weights are not the model's: {level.worst}"
    where = f"; first layer whose values differ: {first_layer}" if first_layer else ""
    return (
        f"{name}: {level.worst} is off by {level.error:.1e}, {level.tolerance:.1e} is allowed, "
        f"and no known deviation explains it{where}"
    )


def _kept(levels: Levels) -> dict[str, Level]:
    return {
        name: Level(
            finite(level.error),
            finite(level.tolerance),
            level.passed,
            level.worst,
            arrays=dict(level.arrays),
        )
        for name, level in levels.items()
    }
