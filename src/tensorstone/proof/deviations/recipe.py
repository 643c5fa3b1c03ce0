"""Deviations in the loss, the optimiser, or how training is fed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tensorstone.models import layers as L
from tensorstone.models.graph import Node
from tensorstone.models.recipe import SGD, Adam, Momentum, RMSprop
from tensorstone.oracle.conventions import ADAM_EPSILON_BEFORE_CORRECTION
from tensorstone.proof.deviations.deviation import Deviation, Suspect
from tensorstone.proof.variant import Feeding, Variant, with_graph

_EPSILONS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-10, 1e-12, 1e-16)
_DECAYS = (1e-4, 5e-4, 1e-3, 1e-2, 1e-5, 0.1)


def _softmax_twice(variant: Variant) -> Iterator[Suspect]:
    graph = variant.case.graph
    if variant.case.loss != "softmax-cross-entropy":
        return
    last = graph.nodes[-1]
    extra = Node("softmax", L.Softmax(), (len(graph.nodes) - 1,), last.shape)
    twice = replace(graph, nodes=(*graph.nodes, extra))
    yield Suspect(with_graph(variant, twice), last.name)
    in_loss = replace(with_graph(variant, twice), predicting=variant.prediction)
    yield Suspect(in_loss, last.name, "in the loss only")


def _other_loss(given: str, other: Any, variant: Variant) -> Iterator[Suspect]:
    if variant.case.loss == given:
        yield Suspect(replace(variant, case=replace(variant.case, loss=other)))


def _sum_over_batch(variant: Variant) -> Iterator[Suspect]:
    case = variant.case
    summed = replace(variant, case=replace(case, quirks=case.quirks | {"sum-over-batch"}))
    yield Suspect(summed)
    outputs = math.prod(case.graph.outputs)
    if case.loss != "softmax-cross-entropy" and outputs > 1:
        yield Suspect(replace(summed, loss_scale=outputs), None, "and over the outputs")


def _sum_over_outputs(variant: Variant) -> Iterator[Suspect]:
    outputs = math.prod(variant.case.graph.outputs)
    if variant.case.loss != "softmax-cross-entropy" and outputs > 1:
        yield Suspect(replace(variant, loss_scale=outputs))


def _quirk(kinds: tuple[type, ...], quirk: str, variant: Variant) -> Iterator[Suspect]:
    case = variant.case
    if isinstance(case.optimiser, kinds):
        yield Suspect(replace(variant, case=replace(case, quirks=case.quirks | {quirk})))


def _nesterov(wanted: bool, variant: Variant) -> Iterator[Suspect]:
    optimiser = variant.case.optimiser
    if isinstance(optimiser, Momentum) and optimiser.nesterov is not wanted:
        yield _optimised(variant, nesterov=wanted)


def _other_epsilon(variant: Variant) -> Iterator[Suspect]:
    optimiser = variant.case.optimiser
    if isinstance(optimiser, Adam | RMSprop):
        for epsilon in _EPSILONS:
            if epsilon != optimiser.epsilon:
                yield _optimised(variant, epsilon=epsilon)


def _epsilon_place(variant: Variant) -> Iterator[Suspect]:
    case = variant.case
    if isinstance(case.optimiser, Adam):
        other = case.conventions ^ {ADAM_EPSILON_BEFORE_CORRECTION}
        before = ADAM_EPSILON_BEFORE_CORRECTION in other
        detail = "before the correction" if before else "after the correction"
        yield Suspect(replace(variant, case=replace(case, conventions=other)), None, detail)


def _other_rate(variant: Variant) -> Iterator[Suspect]:
    rate, batch = variant.case.optimiser.rate, variant.case.batch
    factors = {"× 2": 2.0, "÷ 2": 0.5, "× 10": 10.0, "÷ 10": 0.1}
    factors |= {"÷ batch": 1 / batch, "× batch": float(batch)}
    for said, factor in factors.items():
        candidate = _optimised(variant, rate=rate * factor)
        yield replace(candidate, detail=f"learning rate {said}")


def _scaled_gradient(variant: Variant) -> Iterator[Suspect]:
    batch = variant.case.batch
    for said, scale in (("÷ batch", 1 / batch), ("× batch", float(batch))):
        yield Suspect(replace(variant, gradient_scale=scale), None, f"gradients {said}")
        inside = replace(variant, optimiser_scale=scale)
        yield Suspect(inside, None, f"gradients {said} in the optimiser")


def _decay(variant: Variant) -> Iterator[Suspect]:
    for decay in _DECAYS:
        yield Suspect(replace(variant, decay=decay), None, f"{decay:g} · w in the gradient")
    for decay in _DECAYS:
        decoupled = replace(variant, decoupled_decay=decay)
        yield Suspect(decoupled, None, f"{decay:g} · rate · w beside the update")


def _fed(feeding: Feeding, variant: Variant) -> Iterator[Suspect]:
    yield Suspect(replace(variant, feeding=feeding))


def _forgets(variant: Variant) -> Iterator[Suspect]:
    if not isinstance(variant.case.optimiser, SGD):
        yield Suspect(replace(variant, forgets=True))


def _optimised(variant: Variant, **settings: Any) -> Suspect:
    given: Any = variant.case.optimiser
    case = replace(variant.case, optimiser=replace(given, **settings))
    said = ", ".join(
        f"{key} {value:g} instead of {getattr(given, key):g}" for key, value in settings.items()
    )
    return Suspect(replace(variant, case=case), None, said)


LOSSES = (
    Deviation(
        "softmax-twice", "softmax is applied before a loss that applies it too", _softmax_twice
    ),
    Deviation(
        "half-squared-loss",
        "the squared error is halved",
        partial(_other_loss, "mean-squared", "half-squared"),
    ),
    Deviation(
        "full-squared-loss",
        "the squared error is not halved",
        partial(_other_loss, "half-squared", "mean-squared"),
    ),
    Deviation("sum-over-batch", "the loss is a sum over the batch, not a mean", _sum_over_batch),
    Deviation(
        "sum-over-outputs", "the loss is a sum over the outputs, not a mean", _sum_over_outputs
    ),
)

OPTIMISERS = (
    Deviation(
        "unit-gain-momentum",
        "the velocity takes (1 − momentum) of the gradient",
        partial(_quirk, (Momentum,), "unit-gain-momentum"),
    ),
    Deviation("nesterov", "Nesterov's momentum, not the plain one", partial(_nesterov, True)),
    Deviation("no-nesterov", "plain momentum, not Nesterov's", partial(_nesterov, False)),
    Deviation(
        "no-bias-correction",
        "Adam's averages are not corrected for starting at zero",
        partial(_quirk, (Adam,), "no-bias-correction"),
    ),
    Deviation(
        "epsilon-inside-root",
        "epsilon stands under the square root",
        partial(_quirk, (Adam, RMSprop), "epsilon-inside-root"),
    ),
    Deviation(
        "epsilon-correction",
        "Adam's epsilon is added on the other side of the bias correction",
        _epsilon_place,
    ),
    Deviation("other-epsilon", "the optimiser has another epsilon", _other_epsilon),
    Deviation("learning-rate", "the learning rate is a multiple of what it should be", _other_rate),
    Deviation(
        "scaled-gradient", "gradients are scaled before the optimiser sees them", _scaled_gradient
    ),
    Deviation("weight-decay", "weights decay", _decay),
)

FEEDING = (
    Deviation(
        "remainder-kept",
        "an incomplete last batch is trained on",
        partial(_fed, "remainder-kept"),
    ),
    Deviation(
        "remainder-padded",
        "an incomplete last batch is filled up with the first samples",
        partial(_fed, "remainder-padded"),
    ),
    Deviation(
        "state-forgotten",
        "what the optimiser remembers is lost between two calls of training",
        _forgets,
    ),
    Deviation("batches-reversed", "batches come last to first", partial(_fed, "reversed")),
)
