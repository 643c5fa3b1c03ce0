"""Another loss than the recipe's, told by the last layer's gradients and the loss itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.oracle.losses import loss_and_slope
from tensorstone.proof.measuring import loss_forms as F
from tensorstone.proof.measuring.class_weights import class_weights
from tensorstone.proof.measuring.factors import said
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.measuring.last_layer import Last, last_layer
from tensorstone.proof.measuring.regress import NumbersFit, fit
from tensorstone.proof.measuring.sentence import Sentence

_EQUATIONS = 4  # for each fitted number
_LEAST_PRECISE = 0.02
_NO_NUMBER = float("nan")


@dataclass(frozen=True)
class _Guess:
    """A loss; `says` has a {} where it has a number, which `start` gives values to try of."""

    says: str
    form: F.Form
    number: float = _NO_NUMBER
    start: tuple[float, ...] = ()
    harmless: float = _NO_NUMBER  # the number with which it is the recipe's own
    name: str | None = None


def describe_loss(evidence: GradientEvidence) -> Sentence | None:
    """The one loss that explains what can be seen of it; None where it cannot be seen twice."""
    last = last_layer(evidence)
    if last is None or evidence.outputs.ndim > 2:
        return None
    found = _of_last(evidence, last)
    if found is None and last.without_loss:  # the loss that is reported may be another one
        return _of_last(evidence, last.without_loss)
    return found


def _of_last(evidence: GradientEvidence, last: Last) -> Sentence | None:
    guesses = [*_others(evidence), *_moved_targets(evidence)]
    for guess in guesses:
        if not guess.start:
            found = _exact(last, guess)
            if found:
                return found
    fitted = [f for guess in guesses if guess.start for f in [_fitted(last, guess)] if f]
    if fitted:
        best = min(fitted, key=lambda finding: finding.residual)
        return best if len(fitted) == 1 or _clear(fitted, best) else None
    return class_weights(last) if evidence.loss == "softmax-cross-entropy" else None


def _clear(fitted: list[Sentence], best: Sentence) -> bool:
    """Whether no other explains as much."""
    return all(f is best or f.residual > 10 * best.residual for f in fitted)


def _others(evidence: GradientEvidence) -> Iterator[_Guess]:
    if evidence.loss == "softmax-cross-entropy":
        return _of_classes(evidence)
    return _of_bits() if evidence.loss == "binary-cross-entropy" else _of_values(evidence.loss)


def _of_classes(evidence: GradientEvidence) -> Iterator[_Guess]:
    classes = evidence.outputs.shape[1]
    yield _Guess(
        "softmax is applied before a loss that applies it too",
        F.softmax_twice,
        name="softmax-twice",
    )
    yield _Guess("a sigmoid is applied before the loss's softmax", F.softmax_of_sigmoid)
    yield _Guess("the loss takes logits for log-probabilities", F.no_softmax)
    yield _Guess("the loss takes probabilities for log-probabilities", F.no_logarithm)
    for how, share in (("sum", 1.0), ("mean", 1 / classes)):
        own = f"{how} over the classes"
        yield _Guess(
            f"the loss is the binary cross-entropy of each class, {own}", F.each_class_alone, share
        )
        yield _Guess(f"the loss is the squared error of softmax, {own}", F.squared_softmax, share)
        yield _Guess(f"the loss is the squared error of the logits, {own}", F.squared_scores, share)
        yield _Guess(f"the loss is the hinge loss, {own}", F.hinge, share)
    many = tuple(np.geomspace(0.02, 50, 21))
    yield _Guess("logits are scaled by {} before the loss", F.softmax_tempered, 0, many, 1.0)
    yield _Guess("labels are smoothed by {}", F.smoothed, 0, tuple(np.linspace(0.02, 0.98, 9)), 0.0)
    yield _Guess(
        "the loss is focal, with gamma {}", F.focal, 0, (0.1, 0.3, 0.7, 1.5, 2.5, 5.0), 0.0
    )


def _of_bits() -> Iterator[_Guess]:
    yield _Guess("a sigmoid is applied twice: before a loss that applies it too", F.sigmoid_twice)
    yield _Guess("targets 0 and 1 are swapped", F.flipped)
    yield _Guess("the loss is the squared error of the sigmoid", F.squared_sigmoid, 1.0)
    yield _Guess("the loss is half the squared error of the sigmoid", F.squared_sigmoid, 0.5)
    yield _Guess("the loss is the squared error of the logits", F.squared, 1.0)
    yield _Guess("the loss is the hinge loss", F.hinge_binary)
    many = tuple(np.geomspace(0.02, 50, 21))
    yield _Guess("logits are scaled by {} before the loss", F.sigmoid_tempered, 0, many, 1.0)
    yield _Guess("a target of 1 weighs {}", F.weighted_positives, 0, many, 1.0)
    some = tuple(np.linspace(0.02, 0.98, 9))
    yield _Guess("targets are smoothed by {}", F.smoothed_binary, 0, some, 0.0)
    yield _Guess(
        "the loss is focal, with gamma {}", F.focal_binary, 0, (0.1, 0.3, 0.7, 1.5, 2.5, 5.0), 0.0
    )


def _of_values(own: str) -> Iterator[_Guess]:
    plain = {
        "mean-squared": ("the squared error", F.squared, 1.0, "full-squared-loss"),
        "half-squared": ("half the squared error", F.squared, 0.5, "half-squared-loss"),
        "absolute": ("the absolute error", F.absolute, 0.0, None),
    }
    for loss, (says, form, number, name) in plain.items():
        known = name if "squared" in own else None
        if loss != own:
            yield _Guess(f"the loss is {says}", form, number, name=known)
        paired = f"the loss is {says} of every output against every target of the batch"
        yield _Guess(paired, F.every_pair(form), number)
    yield _Guess("the loss is log cosh of the error", F.log_cosh)
    some = tuple(np.geomspace(1e-3, 1e2, 41))
    yield _Guess("the loss is Huber's, with delta {}", F.huber, 0, some)
    yield _Guess("the loss is the smooth L1 loss, with beta {}", F.smooth_l1, 0, some)
    yield _Guess("the loss is that of the quantile {}", F.quantile, 0, (0.1, 0.3, 0.7, 0.9), 0.5)


def _moved_targets(evidence: GradientEvidence) -> Iterator[_Guess]:
    """The recipe's own loss, of other labels or of other samples' targets."""

    def of(change: Callable[[np.ndarray], np.ndarray]) -> F.Form:
        def form(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
            return loss_and_slope(evidence.loss, z, change(y))

        return form

    if evidence.loss not in ("softmax-cross-entropy", "binary-cross-entropy"):
        many = tuple(np.geomspace(0.02, 50, 21))
        yield _Guess("targets are scaled by {}", _targets(evidence, np.multiply), 0, many, 1.0)
        some = (-1.0, -0.3, 0.3, 1.0)
        yield _Guess("{} is added to targets", _targets(evidence, np.add), 0, some, 0.0)
    if evidence.loss == "softmax-cross-entropy":
        classes = evidence.outputs.shape[1]
        for by in (1, -1, *range(2, min(classes - 1, 20))):
            text = f"labels are shifted by {by}"
            yield _Guess(text, of(lambda y, by=by: (y + by) % classes))  # type: ignore[misc]
        yield _Guess("labels are counted from the last class", of(lambda y: classes - 1 - y))
        for label in range(min(classes, 20)):
            text = f"every label is taken for {label}"
            yield _Guess(text, of(lambda y, to=label: np.full_like(y, to)))  # type: ignore[misc]
    for count in range(1, len(evidence.y)):
        for part, which in ((slice(count), "first"), (slice(-count, None), "last")):
            text = f"the loss is of the batch's {which} {count} samples alone"
            if evidence.loss == "softmax-cross-entropy" and not _mixed(evidence.y, part):
                continue  # as well a class that does not count
            yield _Guess(text, _part_of_batch(evidence, part))
    yield _Guess("each output meets the next sample's target", of(lambda y: np.roll(y, -1, 0)))
    yield _Guess("each output meets the sample before's target", of(lambda y: np.roll(y, 1, 0)))
    yield _Guess("targets come in the opposite order in the batch", of(lambda y: y[::-1]))


def _mixed(labels: np.ndarray, part: slice) -> bool:
    """Whether some label is both in a part of the batch and in the rest."""
    inside = np.zeros(len(labels), bool)
    inside[part] = True
    return bool(np.isin(labels[~inside], labels[inside]).any())


def _part_of_batch(evidence: GradientEvidence, part: slice) -> F.Form:
    def form(z: np.ndarray, y: np.ndarray, _: float) -> tuple[float, np.ndarray]:
        loss, some = loss_and_slope(evidence.loss, z[part], y[part])
        slope = np.zeros_like(z)
        slope[part] = some
        return loss, slope

    return form


def _targets(evidence: GradientEvidence, change: Callable[..., np.ndarray]) -> F.Form:
    def form(z: np.ndarray, y: np.ndarray, number: float) -> tuple[float, np.ndarray]:
        return loss_and_slope(evidence.loss, z, change(y, number))

    return form


def _exact(last: Last, guess: _Guess) -> Sentence | None:
    predicted = last.seen(*_computed(last, guess.form, guess.number))
    error = last.explained(predicted)
    return None if error is None else Sentence(guess.says, error, guess.name)


def _computed(last: Last, form: F.Form, number: float) -> tuple[float, np.ndarray]:
    return form(last.outputs, last.y, number)


def _fitted(last: Last, guess: _Guess) -> Sentence | None:
    """A form with a number, which several equations must agree on."""
    if last.equations < _EQUATIONS:
        return None

    def predict(rows: np.ndarray) -> np.ndarray:
        return np.stack([last.seen(*_computed(last, guess.form, float(r[0]))) for r in rows])

    found = fit(predict, last.observed, np.array(guess.start)[:, None])
    if found is None or not _known(found, guess):
        return None
    number = float(found.x[0])
    error = last.explained(predict(found.x[None])[0])
    if error is None or (guess.form is F.huber and not _bends(last, number)):
        return None
    if guess.form is F.smooth_l1 and abs(number - 1) < 1e-6:
        return None  # which is Huber's with delta 1
    precision = max(float(found.precision[0]) / abs(number), 1e-9)
    return Sentence(guess.says.format(said(number, precision)), error, guess.name)


def _known(found: NumbersFit, guess: _Guess) -> bool:
    number, precision = float(found.x[0]), float(found.precision[0])
    apart = abs(number - guess.harmless) > max(10 * precision, 1e-3)
    if number <= 0 and min(guess.start) > 0:
        return False
    return precision < _LEAST_PRECISE * abs(number) and (apart or not guess.harmless >= 0)


def _bends(last: Last, delta: float) -> bool:
    """Errors lie on both sides of where it bends."""
    size = np.abs(last.outputs - last.y)
    return bool((size < delta).any() and (size > delta).any())
