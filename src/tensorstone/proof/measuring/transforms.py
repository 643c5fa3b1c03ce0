"""A layer computed rightly on another input: scaled, moved, turned round, rounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.oracle.nonlinearities import sigmoid, softmax
from tensorstone.proof.measuring.constants import rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.fitting import fitted
from tensorstone.proof.measuring.guesses import Guess, attempt, on_input

Change = Callable[[np.ndarray], np.ndarray]
_FITTED_ON = 4  # samples
_SHORT = 64  # steps of a sequence that constants are fitted through
# Exact layers over many numbers: an activation's own functions are looked for elsewhere.
_POINTWISE = (L.Activation, L.Dropout)


def transform_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    """Guesses about a layer of one input."""
    x = evidence.x
    if len(evidence.inputs) != 1 or np.issubdtype(x.dtype, np.integer):
        return
    if isinstance(evidence.node.layer, R.Embedding):
        return
    for says, change, whole in _changes(evidence):
        yield Guess(says, on_input(change), whole=whole)
    pointwise = isinstance(evidence.node.layer, _POINTWISE)
    if not pointwise or isinstance(evidence.node.layer, L.Softmax):
        yield from _constants(evidence)


def _changes(evidence: LayerEvidence) -> Iterator[tuple[str, Change, bool]]:
    x = evidence.x
    if x.ndim == 4:
        yield from ((says, change, False) for says, change in _map_changes(x))
    if x.ndim == 3:
        yield from ((says, change, False) for says, change in _sequence_changes())
    if x.ndim == 2:
        yield "reads its input's features in reverse order", lambda x: x[:, ::-1], False
        for channels in _divisors(x.shape[1]):
            yield (*_flattened(channels, x.shape[1]), False)
            yield (*_unflattened(channels, x.shape[1]), False)
    yield "reads its batch in reverse order", lambda x: x[::-1], True
    yield "reads the sample after each one", lambda x: np.roll(x, -1, 0), True
    yield from ((says, change, False) for says, change in _VALUES)
    yield from _centred(x.ndim)


def _map_changes(x: np.ndarray) -> Iterator[tuple[str, Change]]:
    yield "reads its input's channels in reverse order", lambda x: x[:, ::-1]
    for axis, what in ((2, "row"), (3, "column")):
        for by, where in ((1, "on"), (-1, "back")):
            says = f"reads its input moved one {what} {where}, around the edge"
            yield says, lambda x, by=by, axis=axis: np.roll(x, by, axis)  # type: ignore[misc]
    for by in (1, -1):
        says = f"reads its input's channels moved on by {by % x.shape[1]}"
        yield says, lambda x, by=by: np.roll(x, by, 1)  # type: ignore[misc]
    if x.shape[2] == x.shape[3]:
        yield "reads its input with height and width transposed", lambda x: x.swapaxes(2, 3)
    yield "reads its input upside down", lambda x: x[:, :, ::-1]
    yield "reads its input with left and right swapped", lambda x: x[..., ::-1]
    yield "reads its input turned by 180°", lambda x: x[..., ::-1, ::-1]
    yield (
        "reads its input's numbers (height, width, channels) as channels, height, width",
        lambda x: x.transpose(0, 2, 3, 1).reshape(x.shape),
    )
    yield (
        "reads its input's numbers (channels, height, width) as height, width, channels",
        lambda x: x.reshape(len(x), *x.shape[2:], x.shape[1]).transpose(0, 3, 1, 2),
    )


def _sequence_changes() -> Iterator[tuple[str, Change]]:
    yield "reads its input backwards in time", lambda x: x[:, ::-1]
    yield "reads its input one step late (zeros first)", lambda x: _late(x, 1)
    yield "reads its input one step early (zeros last)", lambda x: _late(x[:, ::-1], 1)[:, ::-1]
    yield "reads its input one step on, the first step last", lambda x: np.roll(x, -1, 1)
    yield "reads its input one step back, the last step first", lambda x: np.roll(x, 1, 1)
    yield "reads its input without its first step", lambda x: x[:, 1:]
    yield "reads its input without its last step", lambda x: x[:, :-1]
    yield "reads its input's features in reverse order", lambda x: x[..., ::-1]
    yield (
        "reads its input's numbers (time, features) as features, time",
        lambda x: x.swapaxes(1, 2).reshape(x.shape),
    )


def _late(x: np.ndarray, steps: int) -> np.ndarray:
    return np.concatenate([np.zeros_like(x[:, :steps]), x[:, :-steps]], axis=1)


def _divisors(size: int) -> list[int]:
    return [n for n in range(2, size) if size % n == 0]


def _flattened(channels: int, size: int) -> tuple[str, Change]:
    area = size // channels
    says = f"reads its input as if flattened positions first ({area} × {channels} channels)"
    return says, lambda x: x.reshape(-1, channels, area).swapaxes(1, 2).reshape(len(x), -1)


def _unflattened(channels: int, size: int) -> tuple[str, Change]:
    area = size // channels
    says = f"reads its input's numbers ({area} positions × {channels} channels) as channels first"
    return says, lambda x: x.reshape(-1, area, channels).swapaxes(1, 2).reshape(len(x), -1)


_VALUES: tuple[tuple[str, Change], ...] = (
    ("reads max(x, 0) of its input x", lambda x: np.maximum(x, 0)),
    ("reads its input clipped to 0 … 1", lambda x: np.clip(x, 0, 1)),
    ("reads its input clipped to −1 … 1", lambda x: np.clip(x, -1, 1)),
    ("reads tanh(x) of its input x", np.tanh),
    ("reads the sigmoid of its input", sigmoid),
    ("reads its input's absolute values", np.abs),
    ("reads its input's squares", np.square),
    ("reads zeros for its input", np.zeros_like),
    ("reads its input rounded to whole numbers", np.round),
    ("reads its input cut to whole numbers", np.trunc),
    ("reads 1 minus its input", lambda x: 1 - x),
    ("reads its input scaled from 0 … 1 to −1 … 1", lambda x: 2 * x - 1),
    ("reads the softmax of its input", softmax),
)


def _centred(dimensions: int) -> Iterator[tuple[str, Change, bool]]:
    """Means subtracted, and divided by the deviation too."""
    everything = tuple(range(dimensions))
    kinds = [("the batch's", everything, True), ("each sample's", everything[1:], False)]
    if dimensions == 4:
        kinds.append(("each channel's", (0, 2, 3), True))
        kinds.append(("each sample's and channel's", (2, 3), False))
        kinds.append(("each pixel's (over the batch)", (0,), True))
    elif dimensions == 2:
        kinds.append(("each feature's", (0,), True))
    yield (
        "reads its input divided by each number's standard deviation over the batch",
        lambda x: x / x.std(0, ddof=1),
        True,
    )
    for whose, axes, whole in kinds:
        yield f"reads its input less {whose} mean", partial(_less_mean, axes=axes), whole
        says = f"reads its input less {whose} mean, divided by {whose} standard deviation"
        yield says, partial(_standardised, axes=axes), whole


def _less_mean(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    found: np.ndarray = x - x.mean(axes, keepdims=True)
    return found


def _standardised(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    found: np.ndarray = _less_mean(x, axes) / x.std(axes, keepdims=True)
    return found


def _constants(evidence: LayerEvidence) -> Iterator[Guess]:
    """A factor on the input, or an offset, fitted."""
    normalises = isinstance(evidence.node.layer, L.BatchNorm) and evidence.training
    if normalises or evidence.observed.shape != evidence.expected.shape:
        return
    few = evidence.first(_FITTED_ON)
    if not np.isfinite(few.observed).all() or (few.x.ndim == 3 and few.x.shape[1] > _SHORT):
        return
    changes: tuple[tuple[str, Callable[[np.ndarray, float], np.ndarray], float], ...] = (
        ("reads its input multiplied by {}", lambda x, c: x * c, 1.1),
        ("reads its input with {} added", lambda x, c: x + c, 0.1),
        ("reads its input clipped at {}", lambda x, c: np.minimum(x, c), _middle(few.x)),
    )
    for says, change, start in changes:

        def model(c: float, change: Callable[..., np.ndarray] = change) -> np.ndarray:
            return attempt(lambda e: e.computed(change(e.x, c)), few)

        found = fitted(model, (start,), few.observed, evidence.tolerance)
        if found is not None:
            sizes = (*few.x.shape[1:], few.observed.shape[-1])
            text, c = rounded(found[0], model, few.observed, evidence.tolerance, sizes)
            yield Guess(says.format(text), on_input(partial(_with, change, c)), 1)


def _with(change: Callable[[np.ndarray, float], np.ndarray], c: float, x: np.ndarray) -> np.ndarray:
    return change(x, c)


def _middle(x: np.ndarray) -> float:
    """A number that some of the input is above."""
    return float(np.quantile(x, 0.9))
