"""The steps of some arrays as equations: what each number moved by, and how well that is known.

A few numbers of each array are enough to fit, and many to verify.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tensorstone.proof.measuring.groups import layer_of
from tensorstone.proof.measuring.update_evidence import UpdateEvidence

# Of the layer's largest gradient: what a program's gradient may be off by.
_NOISE_SINGLE, _NOISE_DOUBLE = 1e-6, 3e-14
_ULP_SINGLE, _ULP_DOUBLE = 2.0**-23, 2.0**-51
_UNKNOWN = 0.1  # of a step: one that is known no better says nothing
_EARLIER = 0.1  # of an earlier step's error is left in what an optimiser remembers
_NOTHING = 1e300


@dataclass(frozen=True)
class Steps:
    """T updates of n numbers, of all arrays side by side; every array but `of` is (T, n)."""

    names: tuple[str, ...]
    of: np.ndarray  # which array each number is of: (n,)
    w: np.ndarray  # before the update
    g: np.ndarray
    d: np.ndarray  # what the update takes from w
    allowed: np.ndarray  # error of a step that is linear in gradients
    adaptive: np.ndarray  # error of a step that divides by the gradient's own size
    norm: np.ndarray  # of all gradients together: (T, 1)
    own_norm: np.ndarray  # of the array's gradient
    own_mean: np.ndarray  # of the gradients in the same row

    @property
    def count(self) -> int:
        return len(self.d)

    def only(self, names: Iterable[str]) -> Steps:
        """The same of some arrays."""
        chosen = tuple(name for name in self.names if name in set(names))
        place = {self.names.index(name): k for k, name in enumerate(chosen)}
        kept = np.isin(self.of, list(place))
        return replace(
            self,
            names=chosen,
            of=np.array([place[k] for k in self.of[kept]], np.int64),
            w=self.w[:, kept],
            g=self.g[:, kept],
            d=self.d[:, kept],
            allowed=self.allowed[:, kept],
            adaptive=self.adaptive[:, kept],
            own_norm=self.own_norm[:, kept],
            own_mean=self.own_mean[:, kept],
        )

    def first(self) -> Steps:
        """The first update alone."""
        return replace(
            self,
            w=self.w[:1],
            g=self.g[:1],
            d=self.d[:1],
            allowed=self.allowed[:1],
            adaptive=self.adaptive[:1],
            norm=self.norm[:1],
            own_norm=self.own_norm[:1],
            own_mean=self.own_mean[:1],
        )


def steps(evidence: UpdateEvidence, most: int) -> Steps:
    """At most so many numbers of each array, always with the largest gradient."""
    names = tuple(evidence.gradients[0])
    count = len(evidence.gradients)
    layers = _largest_of_layers(evidence, names)
    parts = [_of_array(evidence, name, most, layers[layer_of(name)]) for name in names]
    of = np.concatenate([np.full(part[0].shape[1], k) for k, part in enumerate(parts)])
    norm = np.sqrt(
        [sum(float(np.square(g).sum()) for g in found.values()) for found in evidence.gradients]
    )
    w, g, d, allowed, adaptive, own_norm, own_mean = (
        np.concatenate([part[k] for part in parts], axis=1) for k in range(7)
    )
    return Steps(names, of, w, g, d, allowed, adaptive, norm.reshape(count, 1), own_norm, own_mean)


def _largest_of_layers(evidence: UpdateEvidence, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The largest gradient of each layer, at each update."""
    found: dict[str, np.ndarray] = {}
    for name in names:
        own = np.array([np.abs(g[name]).max(initial=0.0) for g in evidence.gradients])
        layer = layer_of(name)
        found[layer] = np.maximum(found.get(layer, 0.0), own)
    return found


def _of_array(
    evidence: UpdateEvidence, name: str, most: int, layer: np.ndarray
) -> tuple[np.ndarray, ...]:
    chosen = _chosen(evidence.gradients[0][name], most)
    count = len(evidence.gradients)
    weights = np.stack([np.ravel(w[name])[chosen] for w in evidence.weights[: count + 1]])
    g = np.stack([np.ravel(found[name])[chosen] for found in evidence.gradients])
    d = weights[:-1] - weights[1:]
    moved = np.array(
        [
            np.abs(evidence.weights[t][name] - evidence.weights[t + 1][name]).max(initial=0.0)
            for t in range(count)
        ]
    )
    before = np.maximum.accumulate(moved)
    scale = np.maximum(moved, _EARLIER * before)[:, None]
    ulp = _ULP_SINGLE if evidence.single else _ULP_DOUBLE
    rounding = ulp * np.maximum(np.abs(weights[:-1]), np.abs(weights[1:]))
    least = 1e-9 * evidence.tolerance * float(before[-1]) + 1e-300
    allowed = evidence.tolerance * scale + rounding + least
    adaptive = allowed + scale * _uncertain(g, layer, evidence.single)
    adaptive[adaptive - allowed > _UNKNOWN * scale] = _NOTHING
    own_norm = np.array([np.linalg.norm(found[name]) for found in evidence.gradients])
    mean = np.stack([_row_means(found[name])[chosen] for found in evidence.gradients])
    own = np.broadcast_to(own_norm[:, None], g.shape)
    return weights[:-1], g, d, allowed, adaptive, own, mean


def _chosen(gradient: np.ndarray, most: int) -> np.ndarray:
    size = gradient.size
    if size <= most:
        return np.arange(size)
    draw = np.random.default_rng(size)
    some = draw.choice(size, most - 1, replace=False)
    return np.unique(np.append(some, np.abs(gradient).argmax()))


def _uncertain(g: np.ndarray, layer: np.ndarray, single: bool) -> np.ndarray:
    """How far each number's gradient may be off, relative to itself, in the worst update.

    One that is exactly zero is so because nothing reached it, and is known.
    """
    noise = _NOISE_SINGLE if single else _NOISE_DOUBLE
    size = np.where(g == 0, np.inf, np.abs(g))
    found: np.ndarray = (noise * layer[:, None] / size).max(axis=0)
    return np.broadcast_to(found, g.shape)


def _row_means(gradient: np.ndarray) -> np.ndarray:
    """For each number the mean of its row: of what belongs to the same output."""
    if gradient.ndim < 2:
        return np.zeros(gradient.size)
    axes = tuple(range(1, gradient.ndim))
    mean = gradient.mean(axes, keepdims=True)
    return np.broadcast_to(mean, gradient.shape).ravel()
