"""Guesses at what a layer computes, and which of them the numbers allow.

A guess must leave no more error than the tolerance and explain nearly all there was. The simplest
wins; of two as simple that the numbers cannot tell apart, either they mean the same, or none wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.sentence import Sentence, residual
from tensorstone.support.errors import StoneError

EXPLAINED = 0.05  # of the error may be left
Compute = Callable[[LayerEvidence], np.ndarray]
BETTER = 5.0  # a richer guess leaves so many times less error than a simpler one
EQUATIONS = 4  # that are independent, for each number that was fitted
_SCREENED = 2  # samples


@dataclass(frozen=True)
class Guess:
    """`compute` gives what the layer's output would be."""

    says: str
    compute: Compute
    numbers: int = 0  # how many were fitted
    name: str | None = None  # of the catalogue of deviations
    whole: bool = False  # it needs the whole batch


@dataclass(frozen=True)
class _Match:
    guess: Guess
    residual: float


def choose(evidence: LayerEvidence, guesses: Iterable[Guess]) -> Sentence | None:
    """The simplest guess that explains what was observed."""
    allowed = limit(evidence)
    matches = list(_matches(evidence, guesses, allowed))
    if not matches:
        return None
    best = min(match.residual for match in matches)
    most = BETTER * max(best, floor(evidence))
    contenders = [match for match in matches if match.residual <= most]
    simplest = min(match.guess.numbers for match in contenders)
    contenders = [match for match in contenders if match.guess.numbers == simplest]
    if equations(evidence) < EQUATIONS * max(1, simplest):
        return None
    if not all(_alike(evidence, contenders[0].guess, other.guess) for other in contenders[1:]):
        return None
    guess = contenders[0].guess
    return Sentence(guess.says, contenders[0].residual, guess.name, evidence.node.name)


def limit(evidence: LayerEvidence) -> float:
    """The largest residual of an explanation."""
    before = residual(evidence.observed, evidence.expected)
    return min(evidence.tolerance, EXPLAINED * before)


def floor(evidence: LayerEvidence) -> float:
    """Residuals below this are luck."""
    return evidence.tolerance * 1e-3


def equations(evidence: LayerEvidence) -> int:
    """How many independent numbers differ from what they should be."""
    observed, expected = evidence.observed, evidence.expected
    if observed.shape != expected.shape:
        return len(np.unique(observed))
    scale = float(np.abs(expected).max(initial=0.0)) or 1.0
    changed = np.abs(observed - expected) > evidence.tolerance * scale
    pairs = expected[changed] + 1j * observed[changed]
    return len(np.unique(pairs[:10_000]))


def attempt(compute: Compute, evidence: LayerEvidence) -> np.ndarray:
    """What a guess computes; nothing where it does not fit the shapes."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(compute(evidence))
    except (ArithmeticError, ValueError, IndexError, StoneError):
        return np.empty(0)


def _matches(evidence: LayerEvidence, guesses: Iterable[Guess], allowed: float) -> Iterable[_Match]:
    few = evidence.first(_SCREENED)
    rough = 2 * allowed * (float(np.abs(evidence.observed).max(initial=0.0)) or 1.0)
    for guess in guesses:
        if not guess.whole and not _near(attempt(guess.compute, few), few.observed, rough):
            continue
        left = residual(evidence.observed, attempt(guess.compute, evidence))
        if left <= allowed:
            yield _Match(guess, left)


def _near(assumed: np.ndarray, observed: np.ndarray, gap: float) -> bool:
    if assumed.shape != observed.shape:
        return False
    return bool(np.abs(assumed - observed).max(initial=0.0) <= gap)  # never for NaN


def _alike(evidence: LayerEvidence, one: Guess, other: Guess) -> bool:
    """Whether two guesses agree on other inputs too: two ways of saying the same."""
    if one.says == other.says:
        return True
    there = evidence.elsewhere()
    first, second = attempt(one.compute, there), attempt(other.compute, there)
    return residual(first, second) <= 100 * evidence.tolerance


def on_input(change: Callable[[np.ndarray], np.ndarray]) -> Compute:
    """The layer computed rightly on its input changed."""
    return lambda e: e.computed(change(e.x))
