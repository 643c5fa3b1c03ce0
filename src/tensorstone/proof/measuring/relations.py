"""A layer's output against what it should be: scaled, moved, arranged otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.graph import Node
from tensorstone.oracle.nonlinearities import log_softmax, softmax
from tensorstone.proof.measuring.axes import along, axis_name, others
from tensorstone.proof.measuring.constants import listed, rounded
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.functions import function_guesses
from tensorstone.proof.measuring.guesses import EQUATIONS, Guess, choose
from tensorstone.proof.measuring.sentence import Sentence, residual
from tensorstone.proof.measuring.slices import slice_guesses

APPLIED = "applies a function to its result x: {}"
_SPOKEN = {0.5: "half of", 2.0: "twice"}


def relate(observed: np.ndarray, expected: np.ndarray, tolerance: float) -> Sentence | None:
    """What was observed as something made of what was expected, of no layer in particular."""
    node = Node("", L.Dropout(0.0), (-1,), expected.shape[1:])  # passes on what it is given
    evidence = LayerEvidence(node, (expected,), {}, observed, expected, tolerance)
    if residual(observed, expected) <= tolerance or not np.isfinite(expected).all():
        return None
    guesses = [*relation_guesses(evidence)]
    guesses += function_guesses(evidence, lambda e: e.expected, APPLIED)
    found = choose(evidence, [*guesses, *slice_guesses(evidence)])
    return found and replace(found, place=None)


def relation_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    yield Guess("gives zeros", lambda e: np.zeros_like(e.expected))
    yield from _softmaxes(evidence)
    yield from _transposed(evidence)
    if evidence.observed.shape != evidence.expected.shape:
        return
    if not np.isfinite(evidence.observed).all():
        return
    yield Guess("gives the negative of what the model says", lambda e: -e.expected)
    yield from _arranged(evidence)
    yield from _scaled(evidence)
    for axis in range(1, evidence.expected.ndim):
        yield from _scaled_along(evidence, axis)
    yield from _scaled_along(evidence, 0)


def _softmaxes(evidence: LayerEvidence) -> Iterator[Guess]:
    if evidence.expected.ndim in (2, 4):
        yield Guess("applies softmax to its result", lambda e: softmax(e.expected))
        yield Guess("applies log-softmax to its result", lambda e: log_softmax(e.expected))


def _transposed(evidence: LayerEvidence) -> Iterator[Guess]:
    dimensions = evidence.expected.ndim
    names = [axis_name(dimensions, axis) for axis in range(dimensions)]
    for order in permutations(range(1, dimensions)):
        if order != tuple(range(1, dimensions)):
            says = f"gives its axes in the order {', '.join(names[k] + 's' for k in order)}"
            if dimensions == 4 and order == (1, 3, 2):
                says = "gives height and width transposed"
            yield Guess(says, partial(_axes_moved, order))


def _axes_moved(order: tuple[int, ...], e: LayerEvidence) -> np.ndarray:
    return e.expected.transpose(0, *order)


def _arranged(evidence: LayerEvidence) -> Iterator[Guess]:
    """Reversed, rolled or otherwise permuted along an axis."""
    expected = evidence.expected
    for axis in (*range(1, expected.ndim), 0):
        name, size, whole = axis_name(expected.ndim, axis), expected.shape[axis], axis == 0
        if size < 2 or expected.size // size < EQUATIONS:
            continue
        yield Guess(
            f"gives its {name}s in reverse order",
            partial(_reversed, axis),
            whole=whole,
        )
        order = _order(expected, evidence.observed, axis)
        if order is not None:
            yield Guess(
                f"gives its {name}s {_order_said(name, order)}",
                partial(_taken, axis, order),
                whole=whole,
            )
    if expected.ndim == 4:
        yield Guess("gives its maps turned by 180°", lambda e: e.expected[:, :, ::-1, ::-1])


def _reversed(axis: int, e: LayerEvidence) -> np.ndarray:
    return np.flip(e.expected, axis)


def _taken(axis: int, order: np.ndarray, e: LayerEvidence) -> np.ndarray:
    found: np.ndarray = np.take(e.expected, order, axis)
    return found


def _order(expected: np.ndarray, observed: np.ndarray, axis: int) -> np.ndarray | None:
    """Which of the expected slices stands at each place, found by sums with random weights."""
    count = expected.shape[axis]
    draw = np.random.default_rng(5).normal(size=expected.size // count)
    one, other = (np.moveaxis(a, axis, 0).reshape(count, -1) @ draw for a in (expected, observed))
    order = np.empty(count, np.int64)
    order[np.argsort(other)] = np.argsort(one)
    return None if (order == np.arange(count)).all() else order


def _order_said(name: str, order: np.ndarray) -> str:
    count = len(order)
    moved = int((0 - order[0]) % count)
    if (order == np.roll(np.arange(count), moved)).all():
        return f"moved on by {moved}, the last ones first"
    if count <= 8:
        return f"in the order {', '.join(map(str, order))}"
    changed = int((order != np.arange(count)).sum())
    return f"in another order ({changed} of {count} {name}s are elsewhere)"


def _scaled(evidence: LayerEvidence) -> Iterator[Guess]:
    """By one factor, one offset, or both."""
    expected, observed, tolerance = evidence.expected, evidence.observed, evidence.tolerance
    sizes = _sizes(evidence)
    square = float((expected**2).sum())
    if square and expected.size > 1:
        factor = float((observed * expected).sum()) / square
        text, factor = rounded(factor, lambda c: c * expected, observed, tolerance, sizes)
        says = f"gives {_SPOKEN.get(factor, f'{text} times')} what the model says"
        yield Guess(says, lambda e: factor * e.expected, 1)
    offset = float((observed - expected).mean())
    text, offset = rounded(offset, lambda c: expected + c, observed, tolerance)
    yield Guess(f"adds {text} to what the model says", lambda e: e.expected + offset, 1)
    centred = expected - expected.mean()
    spread = float((centred**2).sum())
    if spread:
        slope = float((observed * centred).sum()) / spread
        start = float((observed - slope * expected).mean())
        a, slope = rounded(slope, lambda c: c * expected + start, observed, tolerance, sizes)
        b, start = rounded(start, lambda c: slope * expected + c, observed, tolerance)
        says = f"gives {a} times what the model says, plus {b}"
        yield Guess(says, lambda e: slope * e.expected + start, 2)


def _scaled_along(evidence: LayerEvidence, axis: int) -> Iterator[Guess]:
    """Each channel, row, step … by a factor or an offset of its own."""
    expected, observed = evidence.expected, evidence.observed
    dimensions, rest = expected.ndim, others(expected.ndim, axis)
    count, name = expected.shape[axis], axis_name(expected.ndim, axis)
    if count < 2 or expected.size // count < EQUATIONS:
        return
    whole = axis == 0
    square = (expected**2).sum(axis=rest)
    factors = (observed * expected).sum(axis=rest) / np.where(square, square, 1)
    factors = np.where(square, factors, 1)
    yield Guess(
        f"multiplies each {name} by a factor of its own: {listed(list(factors))}",
        lambda e: e.expected * along(factors, dimensions, axis),
        count,
        whole=whole,
    )
    offsets = (observed - expected).mean(axis=rest)
    yield Guess(
        f"adds to each {name} an offset of its own: {listed(list(offsets))}",
        lambda e: e.expected + along(offsets, dimensions, axis),
        count,
        whole=whole,
    )


def _sizes(evidence: LayerEvidence) -> Sequence[int]:
    """Sizes that a factor may come of: of the batch, of an input, of the output."""
    arrays = (*evidence.inputs, evidence.expected)
    sizes = {size: None for array in arrays for size in array.shape}
    maps = {x.shape[2] * x.shape[3]: None for x in evidence.inputs if x.ndim == 4}
    fans = {int(np.prod(w.shape[1:])): None for w in evidence.weights.values() if w.ndim > 1}
    return list({**sizes, **maps, **fans})
