"""The probes: nothing hides in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_workloads import MAXING, NORMED, SMALL

from tensorstone.models import Adam, Data, Dense, Model, Recipe, Workload
from tensorstone.models.load import find
from tensorstone.oracle import gradients
from tensorstone.proof.probing.perturbation import perturbations
from tensorstone.proof.probing.probe import make_probe
from tensorstone.proof.variant import truth

# Among the first seed's samples two meet under a max-pool in the second update.
TIED = find(str(Path(__file__).parents[1] / "workloads" / "small_cnn.py"))


@pytest.mark.parametrize("workload", [*SMALL, TIED], ids=lambda w: w.name)
def test_nothing_is_zero_and_no_value_is_near_a_jump_of_the_gradient(workload):
    probe = make_probe(workload)
    for name, array in probe.trace.weights.items():
        assert array.dtype == np.float32
        assert np.all(array != 0), name
    right = truth(workload, probe.batch)
    assert perturbations(right.case, probe.trace.weights, probe.trace.x, probe.trace.y) == ([], 0)


def test_there_is_one_sample_too_many():
    probe = make_probe(MAXING)
    assert len(probe.trace.x) % probe.batch == 1


def test_the_same_in_every_process():
    make_probe.cache_clear()
    first = make_probe(NORMED)
    make_probe.cache_clear()
    again = make_probe(NORMED)
    assert first is not again
    for name, array in first.trace.weights.items():
        np.testing.assert_array_equal(array, again.trace.weights[name])


def test_the_step_dwarfs_the_weights():
    probe = make_probe(find("lenet"))
    right = truth(find("lenet"), probe.batch)
    _, found, _ = gradients(right.case, probe.step.weights, probe.step.x, probe.step.y)
    for name, g in found.items():
        assert probe.step_rate * np.abs(g).max() >= np.abs(probe.step.weights[name]).max()


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_small_gradients_are_about_epsilon(epsilon):
    recipe = Recipe("mean-squared", Adam(epsilon=epsilon), 4, 1, "mse")
    for layers in ([Dense(5), Dense(3)], [Dense(3)]):
        model = Model("Net", (6,), layers)
        workload = Workload("quiet", "quiet", model, recipe, Data("random", 64))
        run = make_probe(workload).small
        _, found, _ = gradients(truth(workload, 4).case, run.weights, run.x, run.y)
        typical = np.sqrt(np.mean(np.square(found["fc1.weight"])))
        assert epsilon / 20 < typical < epsilon * 20
