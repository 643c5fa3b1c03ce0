"""What can be seen of a loss: the last layer's gradients, and the loss itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tensorstone.oracle.losses import loss_and_slope
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.measuring.groups import layer_of

_APART = 10.0  # errors allowed, by which a sight must differ from the recipe's to confirm anything


@dataclass(frozen=True)
class _Sight:
    """Equations of one kind, each divided by the error it may have."""

    kind: str
    observed: np.ndarray
    expected: np.ndarray
    allowed: float
    relative: float  # the error that is allowed, relative


@dataclass(frozen=True)
class Last:
    """The last dense layer's bias and weight gradients, and the loss, as far as they are known."""

    outputs: np.ndarray
    y: np.ndarray
    features: np.ndarray | None
    sights: tuple[_Sight, ...]

    @property
    def without_loss(self) -> Last | None:
        """The gradients alone, where there are two."""
        sights = tuple(s for s in self.sights if s.kind != "loss")
        return replace(self, sights=sights) if len(sights) == 2 < len(self.sights) else None

    @property
    def equations(self) -> int:
        return len(self.observed)

    @property
    def observed(self) -> np.ndarray:
        return np.concatenate([s.observed / s.allowed for s in self.sights])

    def seen(self, loss: float, slope: np.ndarray) -> np.ndarray:
        """What would be observed of a loss with this value and this slope."""
        values = [_value(s.kind, loss, slope, self.features) for s in self.sights]
        return np.concatenate(
            [v.ravel() / s.allowed for v, s in zip(values, self.sights, strict=True)]
        )

    def explained(self, predicted: np.ndarray) -> float | None:
        """The relative error that is left; None unless two sights that differ from the recipe's
        agree. The loss alone may disagree where both gradients agree: some report it otherwise."""
        agree: set[str] = set()
        worst, start = 0.0, 0
        for sight in self.sights:
            part = predicted[start : start + len(sight.observed)]
            start += len(sight.observed)
            error = float(np.abs(part - sight.observed / sight.allowed).max())
            if not error <= 1.0:
                if sight.kind != "loss":
                    return None
                continue
            worst = max(worst, error * sight.relative)
            if np.abs(part - sight.expected / sight.allowed).max() > _APART:
                agree.add(sight.kind)
        return worst if len(agree) > 1 else None


def last_layer(evidence: GradientEvidence) -> Last | None:
    """What can be seen, if the oracle's own numbers follow from it."""
    z = np.asarray(evidence.outputs, np.float64)
    try:
        loss, slope = loss_and_slope(evidence.loss, z, evidence.y)
    except ValueError:
        return None
    layer = layer_of(evidence.order[-1])
    sights = []
    for name in (n for n in evidence.order if layer_of(n) == layer):
        kind = name.rpartition(".")[2]
        if kind not in ("bias", "weight") or (kind == "weight" and evidence.features is None):
            continue
        value = _value(kind, loss, slope, evidence.features)
        expected = evidence.expected[name]
        if value.shape != expected.shape or not _same(value, expected):
            return None
        size = max(float(np.abs(evidence.observed[name]).max()), evidence.floor)
        allowed = evidence.tolerance * size
        o = evidence.observed[name].ravel()
        sights.append(_Sight(kind, o, expected.ravel(), allowed, evidence.tolerance))
    if evidence.observed_loss is not None:
        sights.append(_loss(evidence, evidence.observed_loss))
    return Last(z, evidence.y, evidence.features, tuple(sights)) if len(sights) > 1 else None


def _loss(evidence: GradientEvidence, observed: float) -> _Sight:
    tolerance = evidence.loss_tolerance
    allowed = tolerance * max(abs(observed), 1e-9)
    expected = np.array([evidence.expected_loss])
    return _Sight("loss", np.array([observed]), expected, allowed, tolerance)


def _value(kind: str, loss: float, slope: np.ndarray, features: np.ndarray | None) -> np.ndarray:
    if kind == "loss":
        return np.array([loss])
    if kind == "bias" or features is None:
        total: np.ndarray = slope.reshape(len(slope), -1).sum(axis=0)
        return total
    product: np.ndarray = slope.reshape(len(slope), -1).T @ features.reshape(len(features), -1)
    return product


def _same(value: np.ndarray, expected: np.ndarray) -> bool:
    size = float(np.abs(expected).max()) or 1.0
    return bool(np.abs(value - expected).max() <= 1e-6 * size)
