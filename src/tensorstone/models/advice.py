"""Warnings about a workload: what may be written, and is nearly always a mistake.

A workload is computed everywhere exactly as it was written, so none of this is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import exp, floor, inf, log1p, prod

from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.lines import LayerLines
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse
from tensorstone.models.recipe import Adam, RMSprop
from tensorstone.models.shapes import width_axis
from tensorstone.models.workload import Workload

# What is there and what it does, and what to do.
KEEP = "or keep it if this is what you want to compare"
SOFTMAX_TWICE = (
    "Softmax before softmax-cross-entropy, which applies softmax itself: gradients are small and "
    "the loss cannot fall below {least:.2f}",
    f"remove the Softmax, {KEEP}",
)
SIGMOID_TWICE = (
    "Sigmoid before binary-cross-entropy, which applies sigmoid itself: the loss of a target of 0 "
    "cannot fall below {least:.2f}",
    f"remove the Sigmoid, {KEEP}",
)
BOUNDED_SCORES = (
    "{kind} before softmax-cross-entropy keeps scores between {low:g} and {high:g}: the loss "
    "cannot fall below {least:.2f}",
    f"remove the {{kind}}, {KEEP}",
)
BOUNDED_LOGITS = (
    "{kind} before binary-cross-entropy gives no logit below {low:g}: the loss of a target of 0 "
    "cannot fall below {least:.2f}",
    f"remove the {{kind}}, {KEEP}",
)
NO_LAST_DENSE = f"put Dense({{outputs}}) after the {{kind}}, {KEEP}"
RELU_LAST = (
    "ReLU before {loss}: outputs below 0 become 0 and pass no gradient",
    f"remove the last ReLU, {KEEP}",
)
DROPPED_OUTPUTS = (
    "Dropout after the last layer with weights: in training each output is 0 with probability "
    "{rate:g}",
    f"put it before that layer, {KEEP}",
)
ONE_CLASS = (
    "one output under softmax-cross-entropy: the loss is always 0 and nothing is learned",
    "give it an output for each class, or use binary-cross-entropy",
)
SOFTMAX_OF_ONE = (
    "Softmax of one value is always 1 and passes no gradient",
    "remove it; Sigmoid() is the function that keeps one value between 0 and 1",
)
LINEAR_PAIR = (
    "{kind} directly after {before}: together they compute what one of them can",
    f"put an activation such as ReLU() between them, {KEEP}",
)
LONE_SAMPLE = (
    "BatchNorm with batch=1 has one value for each mean: what it normalises is always 0 in "
    "training, and no layer before it learns",
    "make the batch larger, or leave the BatchNorm out",
)
LARGE_RATE = (
    "{kind} with rate={rate:g} moves each weight by about {rate:g} a step: training seldom "
    "converges",
    f"0.001 is usual; lower the rate, {KEEP}",
)

RATE = 0.1  # of an optimiser that scales gradients, whatever their size
# Between which values a layer's outputs are, wherever they do not reach over all numbers.
BOUNDS: dict[type[L.Layer], tuple[float, float]] = {
    L.ReLU: (0, inf),
    L.Softplus: (0, inf),
    L.GELU: (-0.17, inf),
    L.SiLU: (-0.28, inf),
    L.Sigmoid: (0, 1),
    L.Softmax: (0, 1),
    L.Tanh: (-1, 1),
    L.Softsign: (-1, 1),
    R.SimpleRNN: (-1, 1),
    R.LSTM: (-1, 1),
    R.GRU: (-1, 1),
}
# What leaves values as they are, or leaves some of them out.
PASSING = (L.Flatten, L.Dropout, R.LastStep)
Text = tuple[str, str]


@dataclass(frozen=True)
class Advice:
    """One warning: what is there and what it does, what to do, and where it stands."""

    text: str
    hint: str
    path: str = ""  # the layer's; empty for what is no layer's
    line: int | None = None  # in the workload's file, if it has one and the line is certain
    where: str = ""  # the file or the workload's name

    @property
    def message(self) -> str:
        """With its place, as mistakes in a file are said."""
        line = f":{self.line}" if self.line else ""
        layer = f"{self.path}: " if self.path else ""
        return f"{self.where}{line}: {layer}{self.text}"


@dataclass(frozen=True)
class _Unsound:
    """One warning before its line is known."""

    text: Text
    path: str
    kind: str  # what is written at its place


def advice(workload: Workload, file: str = "", source: bytes = b"") -> list[Advice]:
    """Every warning, one for each layer at most; `source` is what stands in its file."""
    found = list(_one_class(workload)) or [
        *_inside(workload),
        *_before_the_loss(workload),
        *_dropped_outputs(workload),
    ]
    found += _optimiser(workload)
    distinct: dict[str, _Unsound] = {}
    for one in found:
        distinct.setdefault(one.path, one)
    lines = LayerLines(source, workload.model) if source and found else None
    return [
        Advice(*one.text, one.path, lines.of(one.path, one.kind) if lines else None, where)
        for where in [file or workload.name]
        for one in distinct.values()
    ]


def _unsound(text: Text, leaf: Leaf, **said: object) -> _Unsound:
    kind = leaf.layer.kind
    filled = (part.format(kind=kind, **said) for part in text)
    return _Unsound((next(filled), next(filled)), leaf.path, kind)


def _one_class(workload: Workload) -> Iterator[_Unsound]:
    if workload.classifies and workload.model.outputs == (1,) and workload.model.weighted:
        yield _unsound(ONE_CLASS, workload.model.weighted[-1])


def _before_the_loss(workload: Workload) -> Iterator[_Unsound]:
    """A last layer whose outputs the loss was not made for."""
    every = _from_the_end(workload.model.chain)
    leaf = next((one for one in every if not (one and isinstance(one.layer, PASSING))), None)
    if leaf is None or type(leaf.layer) not in BOUNDS:
        return
    low, high = BOUNDS[type(leaf.layer)]
    said: dict[str, object] = {"low": low, "high": high, "outputs": workload.model.outputs[-1]}
    loss = workload.recipe.loss
    if loss == "softmax-cross-entropy" and high < inf:
        least = log1p((workload.model.outputs[0] - 1) * exp(low - high))
        text = SOFTMAX_TWICE if isinstance(leaf.layer, L.Softmax) else BOUNDED_SCORES
        yield _unsound(_for(leaf, text), leaf, least=_down(least), **said)
    elif loss == "binary-cross-entropy":
        text = SIGMOID_TWICE if isinstance(leaf.layer, L.Sigmoid) else BOUNDED_LOGITS
        yield _unsound(_for(leaf, text), leaf, least=_down(log1p(exp(low))), **said)
    elif isinstance(leaf.layer, L.ReLU):
        yield _unsound(RELU_LAST, leaf, loss=loss)


def _down(least: float) -> float:
    """So that two digits claim no more than is true."""
    return floor(100 * least) / 100


def _for(leaf: Leaf, text: Text) -> Text:
    """A layer with weights is not one to remove."""
    return (text[0], NO_LAST_DENSE) if leaf.weights else text


def _dropped_outputs(workload: Workload) -> Iterator[_Unsound]:
    for leaf in takewhile(_keeps_places, _from_the_end(workload.model.chain)):
        if leaf and isinstance(leaf.layer, L.Dropout) and leaf.layer.rate > 0:
            yield _unsound(DROPPED_OUTPUTS, leaf, rate=leaf.layer.rate)


def _keeps_places(leaf: Leaf | None) -> bool:
    """Whether each of its outputs is made of one input, or of its whole sample's."""
    return leaf is not None and isinstance(leaf.layer, (*PASSING, L.Activation))


def _inside(workload: Workload) -> Iterator[_Unsound]:
    """What is a mistake wherever in the model it stands."""
    for chain in _chains(workload.model.chain, set()):
        for leaf in (part for part in chain.parts if isinstance(part, Leaf)):
            width = leaf.inputs[width_axis(leaf.inputs)]
            if isinstance(leaf.layer, L.Softmax) and width == 1:
                yield _unsound(SOFTMAX_OF_ONE, leaf)
            alone = workload.recipe.batch == 1 and prod(leaf.inputs) == width
            if isinstance(leaf.layer, L.BatchNorm) and alone:
                yield _unsound(LONE_SAMPLE, leaf)
        for first, second in pairwise(chain.parts):
            if isinstance(first, Leaf) and isinstance(second, Leaf) and _as_one(first, second):
                yield _unsound(LINEAR_PAIR, second, before=first.layer.kind)


def _as_one(first: Leaf, second: Leaf) -> bool:
    """Whether two linear layers can do no more and no less than one; a narrow first one does
    less, which may be its purpose."""
    if not (isinstance(first.layer, L.Dense) and isinstance(second.layer, L.Dense)):
        return False
    return first.layer.units >= min(first.inputs[-1], second.layer.units)


def _optimiser(workload: Workload) -> Iterator[_Unsound]:
    optimiser = workload.recipe.optimiser
    if isinstance(optimiser, Adam | RMSprop) and optimiser.rate >= RATE:
        kind = type(optimiser).__name__
        message, hint = LARGE_RATE
        yield _Unsound((message.format(kind=kind, rate=optimiser.rate), hint), "", kind)


def _from_the_end(chain: Chain) -> Iterator[Leaf | None]:
    """The last layer, the one before it, and so on; None where several paths are joined."""
    for part in reversed(chain.parts):
        match part:
            case Leaf():
                yield part
            case PlacedUse():
                yield from _from_the_end(part.body)
            case PlacedFork():
                yield None


def _chains(chain: Chain, known: set[str]) -> Iterator[Chain]:
    """The chain and those within it, of each block the first use's."""
    yield chain
    for part in chain.parts:
        if isinstance(part, PlacedFork):
            for path in part.chains:
                yield from _chains(path, known)
        elif isinstance(part, PlacedUse) and part.block not in known:
            known.add(part.block)
            yield from _chains(part.body, known)
