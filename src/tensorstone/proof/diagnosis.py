"""Naming what is wrong: the oracle is run with each known deviation until one explains the numbers.

A deviation explains a program if its float64 numbers agree to nine digits. Where there are only
float32 numbers, it does if a correct program *of the deviated case* would have been accepted with
these numbers, on every level, with the tolerances of that case, and if they are much nearer to it
than to the truth; a thousand times nearer, where there are float64 numbers that name nothing.
Candidates are screened first on the levels that cost least, so that few are computed in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tensorstone.oracle import Arrays
from tensorstone.proof.deviations import CATALOGUE, Suspect
from tensorstone.proof.double_explanation import DoubleEvidence
from tensorstone.proof.double_precision import ENLARGED
from tensorstone.proof.expectation import Expectation, compute
from tensorstone.proof.levels import compare, compare_all
from tensorstone.proof.numbers import Computation, Numbers
from tensorstone.proof.probing.probe import Probe, multiplications
from tensorstone.proof.tolerance import Bound
from tensorstone.proof.variant import Variant, View

# Multiplications of one sample's forward pass, over all candidates that are tried. Counted, since a
# limit of time would make a verdict depend on the machine. It ends the search in models of hundreds
# of millions of multiplications after some hundred candidates; in small ones never.
WORK = 4e11
# Screening uses the truth's tolerances, which are not the candidate's own: it may only be rough.
ROUGH = 100.0
# Rounding imitates small deviations: by so many times a float32 explanation must be nearer.
NEARER = 4.0
# And by so many where float64 has more digits, which do not confirm it: a framework may have kept
# part of its numbers in float32.
MUCH_NEARER = 1000.0


@dataclass(frozen=True)
class Diagnosis:
    """What explains a program's numbers: a deviation of the catalogue, or what was measured."""

    name: str | None
    place: str | None = None
    detail: str = ""


@dataclass(frozen=True)
class Evidence:
    """What a program said, and what it should have said."""

    observed: Numbers
    known: Expectation
    truth: Variant
    probe: Probe
    view: View
    double: Numbers | None = None  # what it said in float64

    @property
    def enlarged(self) -> float:
        """How much of float64's rounding correct numbers may have, relatively."""
        bounds = (b for level in self.known.bounds.values() for b in level.values())
        usual = [bound.tolerance for bound in bounds if bound.tolerance < 1]
        return ENLARGED * max(usual, default=0.0)


def diagnose(evidence: Evidence, work: float = WORK) -> Diagnosis | None:
    """The simplest deviation that explains the evidence, or None."""
    if not evidence.double:
        return _simplest(_Roughly(evidence, NEARER), evidence, work)
    found = _simplest(_Precisely(evidence), evidence, work)
    return found or _simplest(_Roughly(evidence, MUCH_NEARER), evidence, work)


def _simplest(judge: _Precisely | _Roughly, evidence: Evidence, work: float) -> Diagnosis | None:
    each = multiplications(evidence.truth.case.graph) * evidence.probe.batch
    for deviation in CATALOGUE:
        found: list[tuple[float, Suspect]] = []
        for candidate in deviation.candidates(evidence.truth):
            work -= each
            if work < 0:
                return None
            ratio = _explained(judge, candidate)
            if ratio is not None:
                found.append((round(ratio, 2), candidate))
        if found:
            _, best = min(found, key=lambda pair: pair[0])
            return Diagnosis(deviation.name, best.place, best.detail)
    return None


def _explained(judge: _Precisely | _Roughly, candidate: Suspect) -> float | None:
    """How near to what is allowed the worst level comes; None if it explains nothing."""
    try:
        return judge.ratio(candidate.variant)
    except ValueError:
        return None  # the deviated model's shapes do not fit: no program computes it


class _Precisely:
    """By the numbers in float64."""

    def __init__(self, evidence: Evidence) -> None:
        assert evidence.double is not None
        self._truth = Computation(evidence.truth, evidence.probe, evidence.view)
        self._same = partial(_same_gradients, evidence.truth)
        self._evidence = DoubleEvidence(
            evidence.double, evidence.probe, evidence.view, evidence.enlarged
        )

    def ratio(self, variant: Variant) -> float | None:
        return self._evidence.ratio(variant, self._truth.first if self._same(variant) else None)


class _Roughly:
    """By the numbers in float32. Candidates are compared on the cheapest level first."""

    def __init__(self, evidence: Evidence, nearer: float) -> None:
        self.evidence, self._nearer = evidence, nearer
        self._truth = Computation(evidence.truth, evidence.probe, evidence.view)
        levels = compare_all(evidence.observed, evidence.known).values()
        self._wrong = max(level.ratio for level in levels)

    def ratio(self, variant: Variant) -> float | None:
        evidence = self.evidence
        if not self.plausible(variant):
            return None
        known = compute(variant, evidence.probe, evidence.view)
        levels = compare_all(evidence.observed, known).values()
        ratio = max(level.ratio for level in levels)
        right = all(level.passed for level in levels) and self._nearer * ratio <= self._wrong
        return ratio if right else None

    def plausible(self, variant: Variant) -> bool:
        evidence = self.evidence
        same = _same_gradients(evidence.truth, variant)
        first = self._truth.first if same else {}
        computation = Computation(variant, evidence.probe, evidence.view, first=first)
        for level in self._levels(variant, same):
            expected = computation.level(level)
            bounds = _rough(evidence.known.bounds[level], expected, self._start(level))
            if not compare(evidence.observed[level], expected, bounds).passed:
                return False
        return True

    def _levels(self, variant: Variant, same: bool) -> Iterator[str]:
        """Where the candidate's tolerances resemble the truth's."""
        for level in ("forward", "step", "small"):
            # Weights after an adaptive step are as well-conditioned as the truth's only if the
            # gradients are the truth's.
            if level in self.evidence.observed and (level != "small" or same):
                yield level

    def _start(self, level: str) -> Arrays:
        return self.evidence.probe.small.weights if level == "small" else {}


def _same_gradients(truth: Variant, variant: Variant) -> bool:
    a, b = variant.case, truth.case
    summed = {"sum-over-batch"}
    return (
        a.graph == b.graph
        and a.loss == b.loss
        and a.conventions == b.conventions
        and a.quirks & summed == b.quirks & summed
        and variant.loss_scale == truth.loss_scale
    )


def _rough(bounds: Mapping[str, Bound], expected: Arrays, start: Arrays) -> dict[str, Bound]:
    """The truth's tolerances, widened, and relative to the candidate's numbers."""
    return {
        name: replace(
            bound,
            scale=max(bound.scale, _size(expected[name], start.get(name))),
            tolerance=ROUGH * bound.tolerance,
        )
        for name, bound in bounds.items()
    }


def _size(array: np.ndarray, start: np.ndarray | None) -> float:
    change = array if start is None else array - start
    return float(np.abs(change).max(initial=0.0))
