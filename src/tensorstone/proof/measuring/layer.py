"""What a program's layer computes, where it is not what the model says, in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tensorstone.models import layers as L
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.functions import function_guesses, table
from tensorstone.proof.measuring.guesses import Guess, choose
from tensorstone.proof.measuring.precision import describe_precision, operand_guesses
from tensorstone.proof.measuring.recurrent import recurrent_guesses
from tensorstone.proof.measuring.relations import APPLIED, relation_guesses
from tensorstone.proof.measuring.sentence import Sentence, residual
from tensorstone.proof.measuring.slices import slice_guesses, wrong_slices
from tensorstone.proof.measuring.statistics import batch_norm_guesses
from tensorstone.proof.measuring.transforms import transform_guesses
from tensorstone.proof.measuring.unweighted import unweighted_guesses
from tensorstone.proof.measuring.weights import weight_guesses
from tensorstone.proof.measuring.windows import window_guesses

__all__ = ["LayerEvidence", "describe_layer"]

_ROUNDING = 1e-5  # errors below this are of a number's format, or an epsilon, and no relation


def describe_layer(evidence: LayerEvidence) -> Sentence | None:
    """What the layer computes instead; None where nothing says it for certain."""
    same = evidence.observed.shape == evidence.expected.shape
    error = residual(evidence.observed, evidence.expected)
    if error <= evidence.tolerance or not np.isfinite(evidence.expected).all():
        return None
    if not np.isfinite(evidence.observed).all():
        return _not_finite(evidence)
    small = same and error < _ROUNDING
    found = choose(evidence, _subtle(evidence) if small else _guesses(evidence))
    if found is not None or not same:
        return found
    coarse = describe_precision(evidence.observed, evidence.expected, evidence.tolerance)
    if coarse is not None:
        return replace(coarse, place=evidence.node.name)
    if small:
        return None
    return (table(evidence) if _weightless(evidence) else None) or wrong_slices(evidence)


def _subtle(evidence: LayerEvidence) -> Iterator[Guess]:
    """What may make a difference no larger than rounding would."""
    yield from batch_norm_guesses(evidence)
    yield from operand_guesses(evidence)


def _guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    """Every guess. Of two that mean the same the first is said: those that know the layer."""
    yield from _functions(evidence)
    yield from unweighted_guesses(evidence)
    yield from recurrent_guesses(evidence)
    yield from weight_guesses(evidence)
    yield from window_guesses(evidence)
    yield from batch_norm_guesses(evidence)
    yield from relation_guesses(evidence)
    yield from _applied(evidence)
    yield from transform_guesses(evidence)
    yield from operand_guesses(evidence)
    if evidence.observed.shape == evidence.expected.shape:
        yield from slice_guesses(evidence)


def _functions(evidence: LayerEvidence) -> Iterator[Guess]:
    """An element-wise function of the input, or of what the model says."""
    layer = evidence.node.layer
    if _same_shape(evidence):
        name = "missing-activation" if isinstance(layer, L.Activation) else None
        yield Guess("is left out: it passes its input on unchanged", lambda e: e.x, name=name)
        if _pointwise(layer):
            yield Guess("is applied twice", lambda e: e.computed(e.computed()))
            yield from _before_a_sum(evidence)
        if _weightless(evidence):
            meant = _meant(evidence) if _pointwise(layer) else None
            for guess in function_guesses(evidence, lambda e: e.x, meant=meant):
                yield replace(guess, name=_named(layer, guess))


def _applied(evidence: LayerEvidence) -> Iterator[Guess]:
    """A function of the layer's right output."""
    if not _pointwise(evidence.node.layer):
        yield from function_guesses(evidence, lambda e: e.expected, APPLIED)


def _before_a_sum(evidence: LayerEvidence) -> Iterator[Guess]:
    """The activation of the paths that are added, not of their sum."""
    count = len(evidence.paths)
    for k in range(count):

        def compute(e: LayerEvidence, k: int = k) -> np.ndarray:
            return np.asarray(sum(e.computed(p) if n == k else p for n, p in enumerate(e.paths)))

        yield Guess(f"is applied to path {k + 1} of {count} before the sum, not after it", compute)
    if count:
        yield Guess(
            "is applied to every path before the sum, not after it",
            lambda e: np.asarray(sum(e.computed(p) for p in e.paths)),
        )


def _named(layer: L.Layer, guess: Guess) -> str | None:
    if guess.says.startswith("computes x for"):
        return "missing-activation"
    if isinstance(layer, L.LeakyReLU) and "where positive" in guess.says:
        return "leaky-slope"
    return guess.name


def _meant(evidence: LayerEvidence) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: evidence.computed(x)


def _same_shape(evidence: LayerEvidence) -> bool:
    whole = not np.issubdtype(evidence.x.dtype, np.integer)
    return len(evidence.inputs) == 1 and whole and evidence.x.shape == evidence.observed.shape


def _weightless(evidence: LayerEvidence) -> bool:
    return not evidence.weights and _same_shape(evidence)


def _pointwise(layer: L.Layer) -> bool:
    return isinstance(layer, L.Activation) and not isinstance(layer, L.Softmax)


def _not_finite(evidence: LayerEvidence) -> Sentence | None:
    """Infinities or no numbers, where numbers are right."""
    observed = evidence.observed
    undefined, infinite = np.isnan(observed), np.isinf(observed)
    what, where = ("NaN", undefined) if undefined.any() else ("infinity", infinite)
    count, size = int(where.sum()), where.size
    says = f"gives {what} everywhere" if count == size else f"gives {what} {count} times of {size}"
    if _same_shape(evidence) and count >= 4 and _weightless(evidence):
        for said, condition in (("negative", evidence.x < 0), ("zero", evidence.x == 0)):
            if (where == condition).all():
                says = f"gives {what} where its input is {said}"
    return Sentence(says, 0.0, None, evidence.node.name)
