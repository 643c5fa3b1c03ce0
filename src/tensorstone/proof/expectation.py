"""What a correct program's numbers are, and how close they must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock

import numpy as np

from tensorstone.models.layers import BatchNorm
from tensorstone.models.recipe import Adam, RMSprop
from tensorstone.oracle import Arrays, cached, digest, losses, normalisation
from tensorstone.proof import tolerance
from tensorstone.proof.numbers import LEVELS, Computation, Numbers
from tensorstone.proof.probing.probe import LARGE, Probe, multiplications
from tensorstone.proof.probing.run import ProbeRun
from tensorstone.proof.tolerance import COARSE, FINE, ONE_PASS, Bound, Disturbance
from tensorstone.proof.variant import Variant, View, with_graph, with_quirk
from tensorstone.support.source_digest import source_digest

Bounds = dict[str, dict[str, Bound]]  # by level, then by array
SMALL_MEMBERS = (*COARSE, *FINE)
LARGE_MEMBERS = (*COARSE[:2], FINE[0])  # many numbers each: their largest error varies little
# Proofs that run side by side often want the same numbers: the second finds the first's.
_ONE_AT_A_TIME = Lock()
_MOST_CACHED = 300 * 2**20  # bytes; beyond it reading is no faster than computing


@dataclass(frozen=True)
class Expectation:
    """The float64 numbers of every level with the bounds around them."""

    numbers: Numbers
    bounds: Bounds
    excluded: float  # the share of weights whose trace says nothing: their gradients are noise


def expectation(variant: Variant, probe: Probe, view: View) -> Expectation:
    """The truth's numbers and bounds, from disk where they have been computed before."""
    with _ONE_AT_A_TIME:
        trained = sum(array.size for array in probe.trace.weights.values())
        if trained * 8 * len(LEVELS) > _MOST_CACHED:
            return _remembered(variant, probe, view)
        given = {**probe.trace.weights, "x": probe.trace.x, "y": probe.trace.y}
        quiet = {**probe.small.weights, "x": probe.small.x}
        settings = f"{variant.case.key}{view}{probe.step_rate}{probe.batch}"
        key = (source_digest("expectation"), settings, digest(given), digest(quiet))
        return _unpacked(cached(key, lambda: _packed(compute(variant, probe, view))))


@lru_cache(maxsize=1)
def _remembered(variant: Variant, probe: Probe, view: View) -> Expectation:
    return compute(variant, probe, view)


def one_pass(variant: Variant) -> Variant:
    """With the variance of every batch norm, and the loss, summed as some libraries do."""
    graph = variant.case.graph
    for place, node in enumerate(graph.nodes):
        if isinstance(node.layer, BatchNorm):
            graph = with_quirk(graph, place, normalisation.ONE_PASS)
    variant = with_graph(variant, graph)
    quirks = variant.case.quirks | {losses.ONE_BY_ONE}
    return replace(variant, case=replace(variant.case, quirks=quirks))


def levels_of(probe: Probe) -> tuple[str, ...]:
    """Without weights to train there is only prediction to compare."""
    return LEVELS if probe.trace.weights else LEVELS[:1]


def compute(variant: Variant, probe: Probe, view: View) -> Expectation:
    """The numbers and bounds of one way of computing."""
    large = multiplications(variant.case.graph) > LARGE
    truth = Computation(variant, probe, view)
    members = [
        (Computation(variant, probe, view, np.float32, by), by)
        for by in (LARGE_MEMBERS if large else SMALL_MEMBERS)
    ]
    normed = any(isinstance(node.layer, BatchNorm) for node in variant.case.graph.nodes)
    members += [
        (Computation(one_pass(variant), probe, view, np.float32, by), by)
        for by in ONE_PASS[: None if normed and not large else 1]
    ]
    numbers: Numbers = {}
    bounds: Bounds = {}
    excluded = [0.0]
    runs = {"step": probe.step, "trace": probe.trace, "small": probe.small}
    for level in levels_of(probe):
        numbers[level] = truth.level(level)
        ensemble = [(member.level(level), by) for member, by in members]
        weighing: Arrays = {}
        if level in ("trace", "small") and isinstance(variant.case.optimiser, Adam | RMSprop):
            others = [(member.gradients[level], by) for member, by in members]
            weighing = tolerance.weighing(truth.gradients[level], others)
            excluded.append(_silent(weighing))
        found = truth.gradients[level][0] if level in runs else {}
        trained = found.keys() & numbers[level].keys()  # a deviation may train more than is read
        bounds[level] = _bounds(
            numbers[level], ensemble, runs.get(level), probe.batch, trained, weighing
        )
    return Expectation(numbers, bounds, max(excluded))


def _bounds(
    expected: Arrays,
    ensemble: list[tuple[Arrays, Disturbance]],
    run: ProbeRun | None,
    batch: int,
    trained: set[str],
    weighing: Arrays,
) -> dict[str, Bound]:
    start = run.weights if run else {}
    largest = max((float(np.abs(expected[n] - start[n]).max()) for n in trained), default=0.0)
    updates = len(run.x) // batch if run else 0
    return {
        name: tolerance.bound(
            array,
            start.get(name),
            [(member[name], by) for member, by in ensemble],
            updates if name in start else 0,
            weighing.get(name),
            largest if name in trained else None,
        )
        for name, array in expected.items()
    }


def _silent(weighing: Arrays) -> float:
    total = sum(array.size for array in weighing.values())
    return sum(int(np.count_nonzero(array == 0)) for array in weighing.values()) / max(total, 1)


def _packed(known: Expectation) -> Arrays:
    arrays: Arrays = {"excluded": np.array(known.excluded)}
    for level, numbers in known.numbers.items():
        for name, array in numbers.items():
            bound = known.bounds[level][name]
            arrays[f"{level}/{name}"] = array
            arrays[f"{level}/{name}/bound"] = np.array(
                [bound.scale, bound.tolerance, bound.roundings]
            )
            if bound.weighing is not None:
                arrays[f"{level}/{name}/weighing"] = bound.weighing
    return arrays


def _unpacked(arrays: Arrays) -> Expectation:
    numbers: Numbers = {}
    bounds: Bounds = {}
    for key, array in arrays.items():
        level, _, name = key.partition("/")
        if not name or "/" in name:
            continue
        scale, most, roundings = arrays[f"{key}/bound"]
        numbers.setdefault(level, {})[name] = array
        bounds.setdefault(level, {})[name] = Bound(
            float(scale), float(most), float(roundings), arrays.get(f"{key}/weighing")
        )
    return Expectation(numbers, bounds, float(arrays["excluded"]))
