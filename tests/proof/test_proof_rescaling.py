"""Probes whose updates do not throw the model."""

from __future__ import annotations

import numpy as np
import pytest

from tensorstone.models import SGD, Adam, Data, Dense, Flatten, Model, Recipe, ReLU, Workload
from tensorstone.oracle import activations, train
from tensorstone.proof.probing import probe
from tensorstone.proof.probing.rescaling import LARGEST_RISE, halvings_needed, rescaled
from tensorstone.proof.variant import truth


def _workload(optimiser) -> Workload:
    model = Model("Net", (1, 16, 16), [Flatten(), Dense(512), ReLU(), Dense(512), ReLU(), Dense(5)])
    recipe = Recipe("softmax-cross-entropy", optimiser, 4, 1, "accuracy")
    return Workload("rescaled", "rescaled", model, recipe, Data("random", 64))


@pytest.mark.parametrize("rate", [1e-4, 0.02, 0.1])
def test_an_update_does_not_make_the_loss_leap(rate):
    workload = _workload(SGD(rate=rate))
    case = truth(workload, 4).case
    drawn = probe._run(workload, 0, 13, 4)
    leaps = train(case, drawn.weights, drawn.x, drawn.y).losses
    halvings = halvings_needed(case, drawn.weights, drawn.x, drawn.y)
    assert (halvings > 0) == (max(leaps) > LARGEST_RISE * leaps[0])
    losses = train(case, *rescaled(drawn.weights, drawn.x, halvings), drawn.y).losses
    assert max(losses) <= LARGEST_RISE * losses[0]


def test_every_activation_is_smaller_as_much():
    workload = _workload(SGD(rate=0.1))
    drawn = probe._run(workload, 0, 4, 4)
    weights, x = rescaled(drawn.weights, drawn.x, 3)
    before = activations(workload.model.graph, drawn.weights, drawn.x)
    for large, small in zip(before, activations(workload.model.graph, weights, x), strict=True):
        np.testing.assert_allclose(small, large / 8, rtol=1e-12)


def test_adaptive_updates_are_left_alone():
    workload = _workload(Adam(rate=0.1))
    drawn = probe._run(workload, 0, 13, 4)
    assert halvings_needed(truth(workload, 4).case, drawn.weights, drawn.x, drawn.y) == 0
