"""Does every deviation show, and is it called by its name? Asked of the oracle alone."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from oracle_subject import OracleSubject, observe
from small_workloads import SMALL

from tensorstone.models.load import find
from tensorstone.models.recipe import SGD, Momentum
from tensorstone.models.workload import Workload
from tensorstone.proof.deviations import CATALOGUE, Suspect
from tensorstone.proof.diagnosis import Diagnosis, Evidence, diagnose
from tensorstone.proof.expectation import Expectation, compute
from tensorstone.proof.levels import compare, compare_all
from tensorstone.proof.numbers import LEVELS, Computation, Numbers
from tensorstone.proof.probed import forward, trained
from tensorstone.proof.probing.probe import Probe, make_probe
from tensorstone.proof.variant import Variant, View, truth

COMPUTED = [d for d in CATALOGUE if not d.name.startswith(("dropout", "batches-shuffled"))]
PUBLISHED = (
    "mlp-mnist",
    "lenet",
    pytest.param("keras-cnn", marks=pytest.mark.slow),  # as long as all the others together
    "lstm-series",
    "gru-series",
    "lstm-series-long",
)
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


def _shows(deviated: Variant, probe: Probe, expected: Expectation) -> bool:
    """At any level. They are looked at in order, so that most need no training at all."""
    subject = OracleSubject(deviated)
    try:
        known = forward(subject, probe)
        for name, numbers in chain([("forward", known)], trained(subject, probe)):
            if not compare(numbers, expected.numbers[name], expected.bounds[name]).passed:
                return True
    except ValueError:
        return True  # the deviated shapes do not fit each other: no program computes this
    return False


def _same_numbers(one: Variant, other: Variant, probe: Probe) -> bool:
    """In float64: ReLU and max-pool swapped, say, or half the loss and half the rate."""
    first, second = Computation(one, probe), Computation(other, probe)
    for level in LEVELS:
        a, b = first.level(level), second.level(level)
        if any(a[n].shape != b[n].shape or not np.allclose(a[n], b[n], 1e-9, 1e-12) for n in b):
            return False
    return True


def _candidate(found: Diagnosis, right: Variant) -> Suspect:
    """The candidate a diagnosis speaks of."""
    deviation = next(d for d in CATALOGUE if d.name == found.name)
    said = (found.place, found.detail)
    return next(c for c in deviation.candidates(right) if (c.place, c.detail) == said)


def _beneath_float32(candidate: Suspect) -> bool:
    """A decay that moves a weight by less than one rounding of it in an update."""
    share = candidate.variant.decoupled_decay
    if isinstance(candidate.variant.case.optimiser, SGD | Momentum):
        share = max(share, candidate.variant.decay)
    return 0 < share * candidate.variant.case.optimiser.rate < ONE_ROUNDING


def _spread(candidates: list[Suspect]) -> list[Suspect]:
    """The first, the last and some between: a diagnosis tries them all anyway."""
    return (
        candidates
        if len(candidates) < 6
        else [*candidates[:: len(candidates) // 4], candidates[-1]]
    )


@pytest.mark.parametrize("deviation", COMPUTED, ids=lambda d: d.name)
@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
def test_every_place_of_every_deviation_is_caught_and_named(workload, deviation, known):
    right, probe, expected = _known(workload, known)
    for candidate in _spread(list(deviation.candidates(right))):
        observed = _observed(candidate.variant, probe)
        if observed is None or _beneath_float32(candidate):
            continue
        passed = all(level.passed for level in compare_all(observed, expected).values())
        if passed:
            harmless = _same_numbers(candidate.variant, right, probe)
            assert harmless, (candidate.place, candidate.detail)
            continue
        found = diagnose(Evidence(observed, expected, right, probe, View()))
        assert found is not None, (candidate.place, candidate.detail)
        if (found.name, found.place) != (deviation.name, candidate.place):
            # Another name is right only for the same numbers: with momentum 0.9 a tenth of the
            # rate and unit gain are one thing.
            same = _same_numbers(_candidate(found, right).variant, candidate.variant, probe)
            assert same, (found, candidate.place, candidate.detail)


def test_the_small_workloads_leave_room_for_every_deviation():
    rights = [truth(workload, 4) for workload in SMALL]
    for deviation in COMPUTED:
        assert any(list(deviation.candidates(right)) for right in rights), deviation.name


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_deviation_shows_in_published_workloads(name, known):
    right, probe, expected = _known(find(name), known)
    for deviation in COMPUTED:
        for candidate in list(deviation.candidates(right))[:2]:
            if _beneath_float32(candidate) or _shows(candidate.variant, probe, expected):
                continue
            assert _same_numbers(candidate.variant, right, probe), (deviation.name, candidate.place)


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
