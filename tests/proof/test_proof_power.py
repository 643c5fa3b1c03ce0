"""Does every deviation show, and is it called by its name? Asked of the oracle alone."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_subject import observe
from small_workloads import SMALL

from tensorstone.models.load import find
from tensorstone.models.recipe import SGD, Momentum
from tensorstone.models.workload import Workload
from tensorstone.proof.deviations import CATALOGUE, Candidate, Deviation
from tensorstone.proof.diagnosis import Evidence, diagnose
from tensorstone.proof.expectation import Expectation, compute
from tensorstone.proof.levels import compare_all
from tensorstone.proof.numbers import LEVELS, Computation, Numbers
from tensorstone.proof.probes import Probe, make_probe
from tensorstone.proof.variant import Variant, View, truth

COMPUTED = [d for d in CATALOGUE if not d.name.startswith(("dropout", "batches-shuffled"))]
PUBLISHED = ("mlp-mnist", "lenet", "keras-cnn")
ONE_ROUNDING = 2.0**-23


@pytest.fixture(scope="module")
def known() -> dict[str, tuple[Variant, Probe, Expectation]]:
    return {}


def _known(
    workload: Workload, store: dict[str, tuple[Variant, Probe, Expectation]]
) -> tuple[Variant, Probe, Expectation]:
    if workload.name not in store:
        probe = make_probe(workload)
        variant = truth(workload, probe.batch)
        store[workload.name] = variant, probe, compute(variant, probe, View())
    return store[workload.name]


def _observed(variant: Variant, probe: Probe) -> Numbers | None:
    try:
        return observe(variant, probe)
    except ValueError:
        return None  # the deviated shapes do not fit each other: no program computes this


def _harmless(candidate: Candidate, probe: Probe, right: Variant) -> bool:
    """The same numbers in float64: ReLU and max-pool swapped, say."""
    mine, true = (Computation(v, probe) for v in (candidate.variant, right))
    for level in LEVELS:
        a, b = mine.level(level), true.level(level)
        if any(a[n].shape != b[n].shape or not np.allclose(a[n], b[n], 1e-9) for n in b):
            return False
    return True


def _beneath_float32(candidate: Candidate) -> bool:
    """A decay that moves a weight by less than one rounding of it in an update."""
    share = candidate.variant.decoupled_decay
    if isinstance(candidate.variant.case.optimiser, SGD | Momentum):
        share = max(share, candidate.variant.decay)
    return 0 < share * candidate.variant.case.optimiser.rate < ONE_ROUNDING


def _names(deviation: Deviation, right: Variant) -> set[str]:
    """What the deviation may be called: for linear optimisers two things are the same thing."""
    if deviation.name == "scaled-gradient" and isinstance(right.case.optimiser, SGD | Momentum):
        return {"learning-rate"}
    return {deviation.name}


@pytest.mark.parametrize("deviation", COMPUTED, ids=lambda d: d.name)
@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
def test_every_place_of_every_deviation_is_caught_and_named(workload, deviation, known):
    right, probe, expected = _known(workload, known)
    for candidate in deviation.candidates(right):
        observed = _observed(candidate.variant, probe)
        if observed is None or _beneath_float32(candidate):
            continue
        passed = all(level.passed for level in compare_all(observed, expected).values())
        if passed:
            assert _harmless(candidate, probe, right), (candidate.place, candidate.detail)
            continue
        found = diagnose(Evidence(observed, expected, right, probe, View()))
        assert found is not None, (candidate.place, candidate.detail)
        assert found.name in _names(deviation, right)
        if found.name == deviation.name:
            assert (found.place, found.detail) == (candidate.place, candidate.detail)


def test_the_small_workloads_leave_room_for_every_deviation():
    rights = [truth(workload, 4) for workload in SMALL]
    for deviation in COMPUTED:
        assert any(list(deviation.candidates(right)) for right in rights), deviation.name


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_deviation_shows_in_published_workloads(name, known):
    right, probe, expected = _known(find(name), known)
    for deviation in COMPUTED:
        for candidate in list(deviation.candidates(right))[:2]:
            observed = _observed(candidate.variant, probe)
            if observed is not None and not _beneath_float32(candidate):
                passed = all(level.passed for level in compare_all(observed, expected).values())
                if passed:
                    assert _harmless(candidate, probe, right), (deviation.name, candidate.place)


@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
def test_two_deviations_at_once_are_detected(workload, known):
    right, probe, expected = _known(workload, known)
    rate = next(d for d in CATALOGUE if d.name == "learning-rate")
    bias = next(d for d in CATALOGUE if d.name == "missing-bias")
    first = next(iter(rate.candidates(right))).variant
    both = next(iter(bias.candidates(first))).variant
    observed = observe(both, probe)
    levels = compare_all(observed, expected)
    assert not levels["forward"].passed
    assert diagnose(Evidence(observed, expected, right, probe, View())) is None
