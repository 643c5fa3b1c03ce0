"""Dropout, proven by experiment: masks cannot match, but their statistics must.

A small model ends in Dropout → Dense(1) with the last weights at zero. One step of plain SGD then
moves each of these weights by what dropout let through of the value before it: the mask itself.
It must drop the right share, divide what it keeps by the share it keeps, draw another mask in the
next step and for every sample, and (in maps) drop values, not channels.

What this cannot see: a bad generator. Where in the model values are dropped: dropout_places.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.model import Model
from tensorstone.models.placed import leaves
from tensorstone.models.recipe import SGD, Recipe
from tensorstone.models.workload import Data, Workload
from tensorstone.oracle import Arrays, activations
from tensorstone.proof.levels import CheckedLevel
from tensorstone.proof.probed import ProbedProgram

WIDTH, CHANNELS, SIDE = 4096, 64, 8
SIGMAS = 4.5  # once in 150,000 honest proofs
EXACT = 1e-4  # relative: two multiplications in float32, generously
RATE = 1.0


@dataclass(frozen=True)
class Question:
    """One kind of dropout in a model: its rate, on vectors or on maps, and where it first is."""

    rate: float
    on_maps: bool
    place: str


@dataclass(frozen=True)
class Answer:
    """The level's outcome, the name of what is wrong, and what was measured."""

    level: CheckedLevel
    deviation: str | None = None
    detail: str = ""


def questions(model: Model) -> list[Question]:
    """Every kind of dropout the model has, once."""
    found: dict[tuple[float, bool], Question] = {}
    for leaf in leaves(model.chain):
        if isinstance(leaf.layer, L.Dropout) and leaf.layer.rate > 0:
            key = leaf.layer.rate, len(leaf.inputs) == 3
            found.setdefault(key, Question(*key, leaf.path))
    return list(found.values())


def workload(question: Question) -> Workload:
    """The model the question is asked with."""
    drop = L.Dropout(question.rate)
    if question.on_maps:
        shape: tuple[int, ...] = (1, SIDE, SIDE)
        layers = [L.Conv2D(CHANNELS, 1), drop, L.Flatten(), L.Dense(1)]
    else:
        shape, layers = (8,), [L.Dense(WIDTH), drop, L.Dense(1)]
    recipe = Recipe("mean-squared", SGD(RATE), batch=1, epochs=1, metric="mse")
    model = Model("DropoutProbe", shape, layers)
    return Workload("dropout-probe", "Dropout alone", model, recipe, Data("synthetic", 1))


def ask(subject: ProbedProgram, question: Question) -> Answer:
    """Two steps of the probe, judged; then one of two samples."""
    asked = workload(question)
    weights, x, y = _inputs(asked, 1)
    before = _before(asked, weights, x)[0]
    last, bias = (weight.name for weight in asked.model.weights[-2:])
    subject.start(weights)
    subject.learner(RATE)
    reached = [weights]
    for _ in range(2):
        subject.train(x, y, 1)
        reached.append(subject.read())
    first, second = (
        (after[last].astype(np.float64) - earlier[last]).reshape(-1)
        for earlier, after in pairwise(reached)
    )
    # The bias moves by the loss's slope alone, whatever the loss: the rest is dropout's doing.
    slope = float(reached[1][bias][0]) - float(reached[0][bias][0])
    with np.errstate(divide="ignore", invalid="ignore"):  # a bias that did not move: all is wrong
        kept = first / (slope * before)
    answer = judge(question, kept, first == 0, second == 0)
    if answer.level.passed and _same_for_all(subject, asked, float(np.median(kept[first != 0]))):
        wrong = CheckedLevel(1.0, 0.0, False, question.place)
        return Answer(wrong, "dropout-mask", "drops the same numbers of every sample")
    return answer


def _same_for_all(subject: ProbedProgram, asked: Workload, scale: float) -> bool:
    """Whether two samples lose the same numbers; `scale` is what the others are multiplied by."""
    weights, x, y = _inputs(asked, 2)
    one, other = scale * _before(asked, weights, x)
    last, bias = (weight.name for weight in asked.model.weights[-2:])
    subject.start(weights)
    subject.learner(RATE)
    subject.train(x, y, 2)
    after = subject.read()
    # Both samples have the same output and target, and so the same share of the bias's change.
    slope = (float(after[bias][0]) - float(weights[bias][0])) / 2
    through = (after[last].astype(np.float64) - weights[last]).reshape(-1) / slope
    single = [np.abs(through - values) <= 1e-3 * np.abs(values) for values in (one, other)]
    return not np.logical_or(*single).any()


def _before(asked: Workload, weights: Arrays, x: np.ndarray) -> np.ndarray:
    """What dropout reads, a row for each sample."""
    graph = asked.model.without_dropout().graph
    return activations(graph, weights, x)[0].reshape(len(x), -1)


def judge(question: Question, kept: np.ndarray, mask: np.ndarray, other: np.ndarray) -> Answer:
    """What the masks of two steps, and the size of what the first let through, say."""
    rate, count = question.rate, len(mask)
    share = float(np.mean(mask))
    allowed = SIGMAS * math.sqrt(rate * (1 - rate) / count)
    error = abs(share - rate)
    repeated = CheckedLevel(1.0, 0.0, False, question.place)
    if mask.all() and other.all():
        return Answer(repeated, None, "drops everything in both of two steps")
    if _all_or_none(mask) and _all_or_none(other) and mask.any() != other.any():
        return Answer(repeated, "dropout-mask", "drops all numbers of a sample, or none")
    if question.on_maps and mask.any() and _whole_channels(mask):
        return Answer(repeated, "dropout-mask", "drops whole channels")
    if mask.any() and np.array_equal(mask, other):
        return Answer(repeated, "dropout-mask", "drops the same numbers in the next step")
    if error > allowed:
        level = CheckedLevel(error, allowed, False, question.place)
        if not mask.any():
            return Answer(level, *_without_zeros(kept))
        said = _rate(share, kept[~mask])
        return Answer(level, "dropout-rate", f"drops {said} of its numbers, not {rate:g}")
    scaling = float(np.abs(kept[~mask] * (1 - rate) - 1).max(initial=0.0))
    if scaling > EXACT:
        factor = float(np.median(kept[~mask]))
        level = CheckedLevel(scaling, EXACT, False, question.place)
        if abs(factor * (1 - rate) - 1) <= EXACT:  # in the middle it is right: no other factor is
            return Answer(level, None, f"multiplies what it keeps by factors around {factor:.4g}")
        detail = f"multiplies what it keeps by {factor:.4g}, not by {1 / (1 - rate):.4g}"
        return Answer(level, "dropout-scaling", detail)
    return Answer(CheckedLevel(error, allowed, True, question.place))


def _without_zeros(kept: np.ndarray) -> tuple[str | None, str]:
    if np.abs(kept - 1).max() <= EXACT:
        return "dropout-rate", "drops nothing"
    mean, spread = float(kept.mean()), float(kept.std())
    text = f"its numbers are multiplied by random ones, {mean:.2g} in the mean, {spread:.2g} apart"
    return None, f"gives no zeros where it should drop: {text}"


def _rate(share: float, kept: np.ndarray) -> str:
    """As what is kept tells it, if that agrees with the share that was dropped; else that share."""
    factor = float(np.median(kept))
    told = 1 - 1 / factor if factor > 1 else 0.0
    even = np.abs(kept / factor - 1).max(initial=0.0) <= EXACT if factor else False
    if even and abs(told - share) <= SIGMAS * math.sqrt(max(told * (1 - told), 1e-9) / WIDTH):
        return f"{round(told, 4):g}"
    return f"about {share:.2g}"


def _all_or_none(mask: np.ndarray) -> bool:
    return bool(mask.all() or not mask.any())


def _whole_channels(mask: np.ndarray) -> bool:
    by_channel = mask.reshape(CHANNELS, -1)
    return bool(np.all(by_channel == by_channel[:, :1]))


def _inputs(asked: Workload, samples: int) -> tuple[Arrays, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    weights = {
        weight.name: rng.uniform(0.5, 1.5, weight.shape).astype(np.float32)
        for weight in asked.model.weights
    }
    last = asked.model.weights[-2].name
    weights[last] = np.zeros_like(weights[last])
    x = rng.uniform(0.5, 1.5, (samples, *asked.model.inputs)).astype(np.float32)
    return weights, x, np.full((samples, 1), -1.0, np.float32)
