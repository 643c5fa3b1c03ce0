"""Dropout, proven by experiment: masks cannot match, but their statistics must.

A small model ends in Dropout → Dense(1) with the last weights at zero. One step of plain SGD then
moves each of these weights by what dropout let through of the value before it: the mask itself.
It must drop the right share, divide what it keeps by the share it keeps, draw another mask in the
next step, and (in maps) drop values, not channels.

What this cannot see: masks that are random but repeat within one batch, or a bad generator.
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
    """The level's outcome, and the name of what is wrong."""

    level: CheckedLevel
    deviation: str | None = None


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
    """Two steps of the probe, judged."""
    asked = workload(question)
    weights, x, y = _inputs(asked)
    before = activations(asked.model.without_dropout().graph, weights, x)[0].reshape(-1)
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
    return judge(question, kept, first == 0, second == 0)


def judge(question: Question, kept: np.ndarray, mask: np.ndarray, other: np.ndarray) -> Answer:
    """What the masks of two steps, and the size of what the first let through, say."""
    rate, count = question.rate, len(mask)
    share = float(np.mean(mask))
    allowed = SIGMAS * math.sqrt(rate * (1 - rate) / count)
    error = abs(share - rate)
    if (question.on_maps and _whole_channels(mask)) or np.array_equal(mask, other):
        return Answer(CheckedLevel(1.0, 0.0, False, question.place), "dropout-mask")
    if error > allowed:
        return Answer(CheckedLevel(error, allowed, False, question.place), "dropout-rate")
    scaling = float(np.abs(kept[~mask] * (1 - rate) - 1).max(initial=0.0))
    if scaling > EXACT:
        return Answer(CheckedLevel(scaling, EXACT, False, question.place), "dropout-scaling")
    return Answer(CheckedLevel(error, allowed, True, question.place))


def _whole_channels(mask: np.ndarray) -> bool:
    by_channel = mask.reshape(CHANNELS, -1)
    return bool(np.all(by_channel == by_channel[:, :1]))


def _inputs(asked: Workload) -> tuple[Arrays, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    weights = {
        weight.name: rng.uniform(0.5, 1.5, weight.shape).astype(np.float32)
        for weight in asked.model.weights
    }
    last = asked.model.weights[-2].name
    weights[last] = np.zeros_like(weights[last])
    x = rng.uniform(0.5, 1.5, (1, *asked.model.inputs)).astype(np.float32)
    return weights, x, np.full((1, 1), -1.0, np.float32)
