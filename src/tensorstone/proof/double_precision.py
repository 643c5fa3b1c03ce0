"""The second opinion: the same program in float64, where a correct one agrees to nine digits.

A float32 bound has an edge, and correct programs fall on it. So a program past its bound is run
again in float64 by its bridge, its text untouched. Disagreement there is no rounding; agreement
acquits it if its float32 error is not much past the bound and looks like rounding, because a defect
of a float32 kernel may vanish in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

import numpy as np

from tensorstone.proof.expectation import Bounds, Expectation
from tensorstone.proof.levels import CheckedLevel, compare, finite
from tensorstone.proof.numbers import Computation, Numbers
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.program import Programs
from tensorstone.proof.tolerance import EPSILON, Bound, distance
from tensorstone.proof.variant import Variant, View, with_graph
from tensorstone.results.proof import DoublePrecision

# Relative, where float64 rounds at 1e-16: a few thousand operations one after another.
AGREES = 1e-9
# Of losses: some frameworks average them in float32 for the report, in whatever they are computed.
LOSSES_AGREE = 4 * EPSILON
# Many networks enlarge rounding. In float64 as much as in float32: by the bound over its unit.
ENLARGED = 64 * 2.0**-29
# Frameworks keep constants (a rate, an epsilon) in float32 even where arrays are float64.
CONSTANTS = 4.0
# Of its bound: how far a float32 error may be where float64 agrees.
MOST_ROUNDING = 30.0

Doubled = Callable[[], AbstractContextManager[Programs]]  # a worker that computes in float64


@dataclass(frozen=True)
class SecondOpinion:
    """What float64 says of a program, or why it says nothing."""

    observed: Numbers = field(default_factory=dict)  # dropout's rates at zero
    levels: Mapping[str, CheckedLevel] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=dict)
    changed: str = ""  # what the bridge did for it to compute so
    absent: str = ""

    @property
    def agrees(self) -> bool:
        return bool(self.levels) and all(level.passed for level in self.levels.values())

    @property
    def kept(self) -> DoublePrecision:
        """As a proof keeps it."""
        if not self.levels:
            return DoublePrecision(absent=self.absent)
        worst = max(self.levels.values(), key=lambda level: level.ratio)
        error, allowed = finite(worst.error), finite(worst.tolerance)
        return DoublePrecision(self.agrees, error, allowed, worst.worst, self.changed)


def bounds(known: Expectation, truth: Variant, probe: Probe, view: View) -> Bounds:
    """How close the numbers of a correct program are in float64."""
    members = [Computation(variant, probe, view) for variant in rounded_one_by_one(truth)]
    found: Bounds = {}
    for level, arrays in known.numbers.items():
        others = [member.level(level) for member in members]
        found[level] = {
            name: _bound(known.bounds[level][name], array, [o[name] for o in others], name)
            for name, array in arrays.items()
        }
    return found


def _bound(single: Bound, expected: np.ndarray, others: list[np.ndarray], name: str) -> Bound:
    """Constants are allowed for one by one: rounded together, two may cancel, and a framework may
    round only one of them."""
    plain = replace(single, roundings=0.0)
    least = LOSSES_AGREE if name == "losses" else AGREES
    constants = CONSTANTS * sum(distance(other, expected, plain) for other in others)
    return replace(plain, tolerance=max(least, constants, ENLARGED * single.tolerance))


def check(observed: Numbers, known: Expectation, within: Bounds) -> dict[str, CheckedLevel]:
    return {
        level: compare(arrays, known.numbers[level], within[level])
        for level, arrays in observed.items()
    }


def looks_like_rounding(observed: Numbers, known: Expectation, probe: Probe) -> bool:
    """Whether float32 errors are small multiples of their bounds, and have no structure."""
    runs = {"step": probe.step, "trace": probe.trace, "small": probe.small}
    for level, arrays in observed.items():
        start = runs[level].weights if level in runs else {}
        for name, expected in known.numbers[level].items():
            allowed = known.bounds[level][name]
            ratio = distance(arrays[name], expected, allowed) / allowed.tolerance
            if not ratio <= MOST_ROUNDING:
                return False
            if ratio > 1 and _structured(arrays[name] - expected, expected - start.get(name, 0.0)):
                return False
    return True


def _structured(error: np.ndarray, computed: np.ndarray) -> bool:
    """Whether an error is a share of what was computed, a weight's change say, or the same
    everywhere."""
    if error.size < 8:
        return False
    return max(_cosine(error, computed), _cosine(error, np.ones_like(error))) > 0.98


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return abs(float(np.vdot(a, b))) / size if size else 0.0


def rounded_constants(variant: Variant) -> Variant:
    """The same with every constant of recipe and layers rounded to float32."""
    for name in _names(variant):
        variant = _rounded(variant, name)
    return variant


def rounded_one_by_one(variant: Variant) -> list[Variant]:
    """The same with one constant rounded to float32, wherever it is, for each that is not exact."""
    found = [_rounded(variant, name) for name in _names(variant)]
    return [one for one in found if one != variant]


def _names(variant: Variant) -> list[str]:
    """Of all constants: learning rate, epsilon, momentum, slope …"""
    things = [variant.case.optimiser, *(node.layer for node in variant.case.graph.nodes)]
    return sorted({one.name for thing in things for one in _floats(thing)})


def _floats(thing: Any) -> list[Field[Any]]:
    return [one for one in fields(thing) if type(getattr(thing, one.name)) is float]


def _rounded(variant: Variant, name: str) -> Variant:
    """With the constants of this name rounded."""
    graph = variant.case.graph
    nodes = tuple(replace(node, layer=_with(node.layer, name)) for node in graph.nodes)
    optimiser = _with(variant.case.optimiser, name)
    variant = with_graph(variant, replace(graph, nodes=nodes))
    return replace(variant, case=replace(variant.case, optimiser=optimiser))


def _with(thing: Any, name: str) -> Any:
    """A layer or an optimiser; whatever refuses the rounded number keeps its own."""
    if name not in [one.name for one in _floats(thing)]:
        return thing
    try:
        return replace(thing, **{name: float(np.float32(getattr(thing, name)))})
    except (TypeError, ValueError):
        return thing
