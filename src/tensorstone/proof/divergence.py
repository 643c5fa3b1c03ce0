"""Where a program's numbers first part from the oracle's, when no known deviation explains them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensorstone.dialects.emit import Unsupported, emit_part
from tensorstone.dialects.registry import Dialect
from tensorstone.models.described import weighted_layers
from tensorstone.models.model import Model
from tensorstone.models.recipe import SGD, Recipe
from tensorstone.models.workload import Workload
from tensorstone.oracle import forward
from tensorstone.proof import tolerance
from tensorstone.proof.expectation import SMALL_MEMBERS, Expectation
from tensorstone.proof.levels import failing
from tensorstone.proof.numbers import Numbers
from tensorstone.proof.probing.probe import Probe
from tensorstone.proof.program import Programs
from tensorstone.proof.tolerance import disturbed
from tensorstone.runtime.failure import Failure
from tensorstone.support.errors import StoneError


def by_gradient(model: Model, observed: Numbers, known: Expectation) -> str | None:
    """The layer nearest to the loss with a wrong gradient: what is before it inherits the error."""
    if "step" not in observed:
        return None
    wrong = set(failing(observed["step"], known.numbers["step"], known.bounds["step"]))
    layers = [leaf.path for leaf in model.weighted if wrong & {w.name for w in leaf.weights}]
    return layers[-1] if layers else None


def by_prefix(workload: Workload, dialect: Dialect, programs: Programs, probe: Probe) -> str | None:
    """The first part of the model after which the outputs are wrong, found by halving.

    Each prefix of the model is emitted as a model of its own and only asked to predict.
    """
    parts = workload.model.chain.parts
    low, high = 0, len(parts)  # the first `low` parts are right, the first `high` are not
    try:
        while high - low > 1:
            middle = (low + high) // 2
            if _right(_prefix(workload, middle), dialect, programs, probe):
                low = middle
            else:
                high = middle
    except (Unsupported, StoneError, Failure):
        return None  # not every prefix can be said by itself
    return parts[high - 1].path


def _prefix(workload: Workload, count: int) -> Workload:
    model = workload.model
    parts = model.body.parts[:count]
    recipe = Recipe("mean-squared", SGD(0.01), batch=1, epochs=1, metric="mse")
    return replace(
        workload, model=Model(model.name, model.inputs, parts), recipe=recipe, parameters=None
    )


def _right(workload: Workload, dialect: Dialect, programs: Programs, probe: Probe) -> bool:
    graph = workload.model.without_dropout().graph
    weights = {weight.name: probe.trace.weights[weight.name] for weight in graph.weights}
    x = probe.trace.x[: probe.batch]
    expected = forward(graph, weights, x)
    members = []
    for by in SMALL_MEMBERS:
        moved = {name: disturbed(array, by, name) for name, array in weights.items()}
        members.append((forward(graph, moved, disturbed(x, by, "x"), np.float32), by))
    bound = tolerance.bound(expected, None, members)
    program = programs.load(emit_part(workload, dialect), weighted_layers(workload.model))
    program.start(weights)
    return tolerance.distance(program.predict(x), expected, bound) <= bound.tolerance
