"""A layer computed rightly with its weights read otherwise: missing, doubled, transposed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.factors import listed
from tensorstone.proof.measuring.guesses import Guess

_FLIPS = {(2,): "by their rows", (3,): "by their columns"}


def weight_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    layer = evidence.node.layer
    for name in evidence.others:
        says = f"computes with the weights of {name}, not with its own"
        yield Guess(says, lambda e, n=name: e.computed(weights=e.others[n]))  # type: ignore[misc]
    if isinstance(layer, L.Dense | L.Conv2D):
        yield from _biases(evidence)
        yield from _matrices(evidence)
    if isinstance(layer, L.Conv2D):
        yield from _kernels(evidence)
        yield from _groups(layer)
    if isinstance(layer, R.Embedding):
        yield from _tables(evidence)


def _weights(**changes: Any) -> Any:
    """The layer with some weights made from its own."""
    return lambda e: e.computed(weights={r: f(e.weights[r]) for r, f in changes.items()})


def _biases(evidence: LayerEvidence) -> Iterator[Guess]:
    if "bias" in evidence.weights:
        missing = _weights(bias=np.zeros_like)
        yield Guess("computes without its bias", missing, name="missing-bias")
        yield Guess("adds its bias twice", _weights(bias=lambda b: 2 * b))
        yield Guess("subtracts its bias", _weights(bias=np.negative))
        yield Guess("takes its bias in reverse order", _weights(bias=lambda b: b[::-1]))


def _matrices(evidence: LayerEvidence) -> Iterator[Guess]:
    weight = evidence.weights["weight"]
    yield Guess("adds its bias alone: its weights do not count", _weights(weight=np.zeros_like))
    yield Guess("takes its outputs' weights in reverse order", _weights(weight=lambda w: w[::-1]))
    yield Guess("divides each output's weights by their length", _weights(weight=_lengthless))
    turned = _weights(weight=lambda w: w.swapaxes(0, 1))
    if weight.shape[0] == weight.shape[1]:
        yield Guess("multiplies by its weights transposed (inputs × outputs)", turned)
    if weight.ndim == 2:
        reread = _weights(weight=lambda w: w.reshape(w.shape[::-1]).T)
        says = "reads the numbers of its weights in the order inputs × outputs"
        yield Guess(says, reread)


def _lengthless(w: np.ndarray) -> np.ndarray:
    length = np.sqrt(np.square(w).sum(tuple(range(1, w.ndim)), keepdims=True))
    found: np.ndarray = w / length
    return found


def _kernels(evidence: LayerEvidence) -> Iterator[Guess]:
    weight = evidence.weights["weight"]
    flipped = _weights(weight=lambda w: w[..., ::-1, ::-1])
    says = "flips its kernels: true convolution, not correlation"
    yield Guess(says, flipped, name="flipped-kernel")
    for axes, said in _FLIPS.items():
        yield Guess(f"flips its kernels {said}", _weights(weight=lambda w, a=axes: np.flip(w, a)))
    if weight.shape[2] == weight.shape[3]:
        says = "takes its kernels transposed, height for width"
        yield Guess(says, _weights(weight=lambda w: w.swapaxes(2, 3)))
    if weight.shape[1] > 1:
        says = "takes its kernels' input channels in reverse order"
        yield Guess(says, _weights(weight=lambda w: w[:, ::-1]))
    names = ("out", "in", "height", "width")
    for order in permutations(range(4)):
        if order != (0, 1, 2, 3):
            said = ", ".join(names[k] for k in order)
            says = f"reads its kernels' numbers in the order {said}"
            yield Guess(says, _weights(weight=lambda w, o=order: _reread(w, o)))


def _reread(array: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """The same numbers in memory, taken for an array of another layout."""
    taken = array.reshape([array.shape[k] for k in order])
    return taken.transpose(np.argsort(order))


def _groups(layer: L.Conv2D) -> Iterator[Guess]:
    groups = layer.groups
    if groups == 1:
        return

    def woven(e: LayerEvidence) -> np.ndarray:
        channels = np.arange(e.x.shape[1]).reshape(-1, groups).T.ravel()
        return e.computed(e.x[:, channels])

    def first(e: LayerEvidence) -> np.ndarray:
        each = e.x.shape[1] // groups
        return e.computed(e.x[:, :each], layer=replace(layer, groups=1))

    def backwards(e: LayerEvidence) -> np.ndarray:
        n, channels, *size = e.x.shape
        x = e.x.reshape(n, groups, channels // groups, *size)[:, ::-1].reshape(e.x.shape)
        return e.computed(x)

    def shuffled(e: LayerEvidence) -> np.ndarray:
        channels = np.arange(e.expected.shape[1]).reshape(groups, -1).T.ravel()
        return e.expected[:, channels]

    yield Guess(f"gives each group every {groups}th channel, not neighbouring ones", woven)
    yield Guess("reads the first group's channels in every group", first)
    yield Guess("takes the groups of its input's channels in reverse order", backwards)
    yield Guess("weaves the outputs of its groups into each other", shuffled)


def _tables(evidence: LayerEvidence) -> Iterator[Guess]:
    def off(by: int) -> Any:
        return lambda e: np.roll(e.weights["table"], -by, axis=0)[e.x.astype(np.int64)]

    def clipped(by: int) -> Any:
        def compute(e: LayerEvidence) -> np.ndarray:
            table = e.weights["table"]
            return table[np.clip(e.x.astype(np.int64) + by, 0, len(table) - 1)]

        return compute

    def empty(row: int) -> Any:
        def compute(e: LayerEvidence) -> np.ndarray:
            table = e.weights["table"].copy()
            table[row] = 0
            return table[e.x.astype(np.int64)]

        return compute

    d = evidence.weights["table"].shape[1]
    last = len(evidence.weights["table"]) - 1
    yield Guess(f"multiplies its rows by √{d}, the square root of its features", _times(d**0.5))
    yield Guess(f"divides its rows by √{d}, the square root of its features", _times(d**-0.5))
    for by, said in ((1, "after"), (-1, "before")):
        yield Guess(f"picks the row {said} the token's", off(by))
        yield Guess(f"picks the row {said} the token's", clipped(by))
    yield Guess("gives zeros for token 0 (a row for padding)", empty(0))
    yield Guess(f"gives zeros for token {last}, the last one", empty(-1))
    left = "moves a text's trailing zeros before its first word"
    yield Guess(left, lambda e: e.computed(quirk="padding-left"), name="padding-left")
    yield Guess("scales its rows to a norm of 1", _unit)
    yield from _shortened(evidence)
    yield from _other_row(evidence)


def _other_row(evidence: LayerEvidence) -> Iterator[Guess]:
    """One row given for several tokens that have their own."""
    if evidence.observed.shape != evidence.expected.shape:
        return
    gap = np.abs(evidence.observed - evidence.expected).max(-1)
    wrong = gap > evidence.tolerance * np.abs(evidence.expected).max()
    if not wrong.any():
        return
    tokens = evidence.x.astype(np.int64)
    given = evidence.observed[wrong][0]
    row = int(np.abs(evidence.weights["table"] - given).max(-1).argmin())
    astray = np.unique(tokens[wrong])

    def compute(e: LayerEvidence) -> np.ndarray:
        asked = e.x.astype(np.int64)
        found: np.ndarray = e.weights["table"][np.where(np.isin(asked, astray), row, asked)]
        return found

    yield Guess(f"gives row {row} for token {listed([str(t) for t in astray])}", compute)


def _shortened(evidence: LayerEvidence) -> Iterator[Guess]:
    """Rows that are longer than a limit brought to it."""
    if evidence.observed.shape != evidence.expected.shape:
        return
    lengths = np.linalg.norm(evidence.observed, axis=-1)
    limit = float(f"{lengths.max(initial=0.0):.3g}")
    for guard in (0.0, 1e-7):  # PyTorch adds it before it divides

        def compute(e: LayerEvidence, guard: float = guard) -> np.ndarray:
            length = np.linalg.norm(e.expected, axis=-1, keepdims=True)
            share = np.where(length > limit, limit / (length + guard), 1)
            found: np.ndarray = share * e.expected
            return found

        yield Guess(f"shortens rows that are longer than {limit:g} to that length", compute, 1)


def _times(factor: float) -> Any:
    return lambda e: factor * e.expected


def _unit(e: LayerEvidence) -> np.ndarray:
    length = np.linalg.norm(e.expected, axis=-1, keepdims=True)
    found: np.ndarray = e.expected / np.where(length, length, 1)
    return found
