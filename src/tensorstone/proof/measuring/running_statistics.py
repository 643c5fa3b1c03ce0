"""How a batch norm's running mean and variance moved in one step of training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.guesses import BETTER, EQUATIONS, EXPLAINED
from tensorstone.proof.measuring.sentence import Sentence, residual

_MOMENTUM, _VARIANCE = "batchnorm-momentum", "batchnorm-unbiased-variance"


@dataclass(frozen=True)
class _Way:
    """One way of moving them: mean and variance after the step, side by side."""

    says: str
    after: np.ndarray
    numbers: int = 0
    name: str | None = None


def describe_statistics(
    start_mean: np.ndarray,
    start_var: np.ndarray,
    batch_mean: np.ndarray,
    batch_var: np.ndarray,
    count: int,
    momentum: float,
    observed_mean: np.ndarray,
    observed_var: np.ndarray,
    tolerance: float,
    unbiased: bool = False,
) -> Sentence | None:
    """What the step did instead of running ← momentum · running + (1 − momentum) · batch's.

    `batch_var` is biased, over `count` values a channel; `unbiased` says whether the running one
    is meant to be.
    """
    move = _Move(
        np.concatenate([start_mean, start_var]),
        np.concatenate([batch_mean, batch_var]),
        len(start_mean),
        count,
        unbiased,
    )
    observed = np.concatenate([observed_mean, observed_var])
    before = residual(observed, move.by(momentum))
    if not before > tolerance or not np.isfinite(observed).all():
        return None
    ways = [*_ways(move, momentum), *_fitted(move, observed, tolerance)]
    return _best(ways, observed, tolerance, min(tolerance, EXPLAINED * before))


@dataclass(frozen=True)
class _Move:
    """Where the statistics were, and the batch's."""

    start: np.ndarray  # means, then variances
    batch: np.ndarray
    channels: int
    count: int
    unbiased: bool

    def target(self, unbiased: bool) -> np.ndarray:
        factor = self.count / max(self.count - 1, 1) if unbiased else 1.0
        grown = self.batch.copy()
        grown[self.channels :] *= factor
        return grown

    def by(self, momentum: float, unbiased: bool | None = None) -> np.ndarray:
        batch = self.target(self.unbiased if unbiased is None else unbiased)
        return momentum * self.start + (1 - momentum) * batch

    def mixed(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        return np.concatenate([mean[: self.channels], variance[self.channels :]])


def _ways(move: _Move, momentum: float) -> Iterator[_Way]:
    m, other = momentum, not move.unbiased
    said = "unbiased" if other else "biased"
    right, opposite = move.by(m), move.by(1 - m)
    yield _Way("does not move its running statistics", move.start, name=_MOMENTUM)
    yield _Way("collects the batch's " + said + " variance", move.by(m, other), name=_VARIANCE)
    swapped = f"keeps {1 - m:g} of its running statistics, not {m:g}: momentum means its opposite"
    yield _Way(swapped, opposite, name=_MOMENTUM)
    yield _Way(f"{swapped}; and its variance is {said}", move.by(1 - m, other), name=_MOMENTUM)
    yield _Way("moves its running statistics twice a step", _twice(move, m, move.unbiased))
    yield _Way(
        f"moves its running statistics twice a step, with the {said} variance",
        _twice(move, m, other),
    )
    yield _Way("takes the batch's statistics for its running ones", move.target(move.unbiased))
    yield _Way(
        f"takes the batch's statistics for its running ones (the {said} variance)",
        move.target(other),
    )
    yield _Way("moves its running mean, and not its variance", move.mixed(right, move.start))
    yield _Way("moves its running variance, and not its mean", move.mixed(move.start, right))
    for unbiased in (move.unbiased, other):
        root = move.target(unbiased)
        root[move.channels :] = np.sqrt(root[move.channels :])
        kind = "unbiased" if unbiased else "biased"
        says = f"collects the batch's {kind} standard deviation for its running variance"
        yield _Way(says, m * move.start + (1 - m) * root)
    total = m * move.start + move.target(move.unbiased)
    yield _Way("adds all of the batch's statistics to what it keeps", total)
    part = move.start + (1 - m) * move.target(move.unbiased)
    yield _Way("adds the batch's share and keeps all of what was there", part)


def _twice(move: _Move, momentum: float, unbiased: bool) -> np.ndarray:
    batch, kept = move.target(unbiased), momentum * momentum
    return kept * move.start + (1 - kept) * batch


def _fitted(move: _Move, observed: np.ndarray, tolerance: float) -> Iterator[_Way]:
    """Another share is kept: the same for both, or each its own."""
    whole, mean = slice(None), slice(move.channels)
    variance = slice(move.channels, None)
    for unbiased in (move.unbiased, not move.unbiased):
        kind = "unbiased" if unbiased else "biased"
        note = f", and its variance is {kind}" if unbiased != move.unbiased else ""
        share = _share(move, observed, unbiased, whole, tolerance)
        if share is not None:
            text, kept = share
            says = f"keeps {text} of its running statistics{note}"
            yield _Way(says, move.by(kept, unbiased), 1, _MOMENTUM)
        one = _share(move, observed, unbiased, mean, tolerance)
        other = _share(move, observed, unbiased, variance, tolerance)
        if one is not None and other is not None:
            says = f"keeps {one[0]} of its running mean and {other[0]} of its variance{note}"
            after = move.mixed(move.by(one[1], unbiased), move.by(other[1], unbiased))
            yield _Way(says, after, 2)


def _share(
    move: _Move, observed: np.ndarray, unbiased: bool, part: slice, tolerance: float
) -> tuple[str, float] | None:
    batch = move.target(unbiased)[part]
    way = move.start[part] - batch
    square = float(way @ way)
    if not square:
        return None
    kept = float(way @ (observed[part] - batch)) / square
    return rounded(kept, lambda k: batch + k * way, observed[part], tolerance)


def _best(
    ways: list[_Way], observed: np.ndarray, tolerance: float, allowed: float
) -> Sentence | None:
    """The simplest way that explains where they are; none if two as simple do."""
    left = [(residual(observed, way.after), way) for way in ways]
    matches = [(r, way) for r, way in left if r <= allowed]
    if not matches:
        return None
    most = BETTER * max(min(r for r, _ in matches), tolerance * 1e-3)
    contenders = [(r, way) for r, way in matches if r <= most]
    numbers = min(way.numbers for _, way in contenders)
    simplest = [(r, way) for r, way in contenders if way.numbers == numbers]
    if len(simplest) > 1 or observed.size < EQUATIONS * max(1, numbers):
        return None
    r, way = simplest[0]
    return Sentence(way.says, r, way.name)
