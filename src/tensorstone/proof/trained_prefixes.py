"""Prefixes that are trained for one step: which layer is right in prediction and wrong in training.

Each is trained under the squared error against random targets, so neither the recipe's loss nor its
optimiser has a part in what is found. Only in float64, where any difference is one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensorstone.models.layers import BatchNorm, Dropout
from tensorstone.models.recipe import SGD
from tensorstone.oracle import Arrays, Case, activations, gradients
from tensorstone.proof.measuring.gradient_evidence import GradientEvidence
from tensorstone.proof.prefixes import Prefixes
from tensorstone.proof.probing.probe import revealing_rate
from tensorstone.proof.stops import Stop
from tensorstone.proof.variant import Variant

SAME = 1e-8  # relative
LOSSES_SAME = 1e-6  # some frameworks average them in float32, whatever they compute in


@dataclass(frozen=True)
class TrainedPrefix:
    """A prefix, and the gradients of one batch at its weights."""

    stop: Stop
    evidence: GradientEvidence
    has_modes: bool  # its last layer computes otherwise in training than in prediction

    @property
    def first(self) -> bool:
        """It has one layer with weights: that it is wrong may be another's fault."""
        return len({name.rpartition(".")[0] for name in self.evidence.order}) == 1

    @property
    def values_differ(self) -> bool:
        """The loss is another, so the values of training are."""
        ratio = self.evidence.loss_ratio
        return ratio is not None and abs(ratio - 1) > LOSSES_SAME

    @property
    def right(self) -> bool:
        return not self.values_differ and not self.evidence.wrong


def first_wrong(prefixes: Prefixes, truth: Variant) -> TrainedPrefix | None:
    """The shortest prefix that trains wrongly; None if the whole trains rightly."""
    count = len(prefixes.workload.model.body.parts)
    last = _trained(prefixes, prefixes.whole, truth)
    if last is None or last.right:
        return None
    low, high, found = 0, count, last
    while high - low > 1:
        middle = (low + high) // 2
        tried = _trained(prefixes, prefixes.upto(middle), truth)
        if tried is None or tried.right:
            low = middle
        else:
            high, found = middle, tried
    inner = (_trained(prefixes, stop, truth) for stop in prefixes.inner(high))
    return next((one for one in inner if one and not one.right), found)


def _trained(prefixes: Prefixes, stop: Stop, truth: Variant) -> TrainedPrefix | None:
    """None where there is nothing to train."""
    graph = prefixes.graph(stop)
    weights = prefixes.weights(graph)
    if not any(weight.trained for weight in graph.weights):
        return None
    x, batch = prefixes.x, prefixes.probe.batch
    y = np.random.default_rng(3).standard_normal((len(x), *graph.outputs)).astype(np.float32)
    case = Case(graph, "mean-squared", SGD(1.0), batch, truth.case.conventions)
    loss, expected, _ = gradients(case, weights, x, y)
    rate = revealing_rate(weights, expected)
    program = prefixes.load(stop)
    program.start(weights)
    program.learner(rate)
    losses = program.train(x, y, batch)
    after = program.read()
    start: Arrays = {name: weights[name].astype(np.float64) for name in expected}
    values = activations(graph, weights, x, training=True)
    evidence = GradientEvidence(
        weights=start,
        observed={name: (w - after[name]) / rate for name, w in start.items()},
        expected=expected,
        order=tuple(w.name for w in graph.weights if w.name in expected),
        loss="mean-squared",
        observed_loss=float(losses[0]) if losses else None,
        expected_loss=loss,
        outputs=values[-1],
        y=y,
        batch=batch,
        tolerance=SAME,
    )
    return TrainedPrefix(stop, evidence, isinstance(graph.nodes[-1].layer, BatchNorm | Dropout))
