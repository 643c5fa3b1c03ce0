"""No false alarm: correct numbers, rounded differently, pass. Asked of the oracle alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_workloads import SMALL
from strategies import recurrent_workloads, workloads

from tensorstone.proof.expectation import compute, levels_of
from tensorstone.proof.levels import compare
from tensorstone.proof.numbers import Computation
from tensorstone.proof.probing.probe import make_probe
from tensorstone.proof.tolerance import COARSE, FLOOR, Disturbance, bound, distance
from tensorstone.proof.variant import View, truth


def _worst(workload, seed: int, view: View) -> float:
    """How near to its tolerance a run comes that is disturbed differently: by some units in the
    last place of every input and weight, more than another order of summation does."""
    probe = make_probe(workload)
    right = truth(workload, probe.batch)
    known = compute(right, probe, view)
    other = Computation(right, probe, view, np.float32, Disturbance(seed, ulps=4))
    return max(
        compare(other.level(level), known.numbers[level], known.bounds[level]).ratio
        for level in levels_of(probe)
    )


@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
@pytest.mark.parametrize("losses", ["batch", "call"])
@pytest.mark.parametrize("outputs", ["logits", "probabilities"])
def test_small_workloads_pass(workload, losses, outputs):
    assert _worst(workload, 77, View(losses, outputs)) < 1


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(workload=workloads(dropout=False), seed=st.integers(100, 10_000))
def test_random_workloads_pass(workload, seed):
    assert _worst(workload, seed, View()) < 1


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(workload=recurrent_workloads(), seed=st.integers(100, 10_000))
def test_random_workloads_over_sequences_pass(workload, seed):
    assert _worst(workload, seed, View()) < 1


@pytest.mark.parametrize(("residue", "allowed"), [(1e-7, True), (1e-5, False)])
def test_a_change_that_every_member_cancels_may_leave_roundings_of_the_largest(residue, allowed):
    start = np.zeros(3)
    cancelled = bound(start, start, [(start, by) for by in COARSE], largest=1.0)
    assert (distance(start + residue, start, cancelled) <= cancelled.tolerance) == allowed
    assert cancelled.scale == FLOOR


def test_a_small_change_that_is_known_exactly_is_held_to_its_own_size():
    start, moved = np.zeros(3), np.full(3, 1e-9)
    members = [(moved * (1 + 1e-6), by) for by in COARSE]
    small = bound(moved, start, members, largest=1.0)
    assert distance(moved * 1.001, moved, small) > small.tolerance
