"""A run whose gradients are about as small as the optimiser's epsilon.

Where epsilon is added, how large it is, and whether weight decay is added cannot be seen beside
gradients of ordinary size, and is plain beside these.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tensorstone.models.graph import Graph
from tensorstone.models.recipe import Adam, RMSprop
from tensorstone.models.workload import Workload
from tensorstone.oracle import Arrays
from tensorstone.proof.probing.run import ProbeRun

_SMALL = 2.0**-20  # where the optimiser has no epsilon to compare with


def small_gradients(workload: Workload, first: ProbeRun, found: Arrays) -> ProbeRun:
    """The first batch with the last weighted layers' weights scaled down.

    A model of one weighted layer has nothing upstream of it: its inputs are scaled instead.
    """
    graph = workload.model.graph
    last = _last_weighted(graph)
    last_names = {weight.name for place in last for weight in graph.nodes[place].weights}
    upstream = [
        np.sqrt(np.mean(np.square(g))) for name, g in found.items() if name not in last_names
    ]
    optimiser = workload.recipe.optimiser
    wanted = optimiser.epsilon if isinstance(optimiser, Adam | RMSprop) else _SMALL
    typical = float(np.median(upstream or [np.sqrt(np.mean(g**2)) for g in found.values()] or [1]))
    scale = np.float32(2.0 ** min(0, round(math.log2(max(wanted, 1e-30) / max(typical, 1e-30)))))
    if not upstream and not workload.model.vocabulary:
        return replace(first, name="small", x=first.x * scale)
    smaller = {
        weight.name: first.weights[weight.name] * scale
        for place in last
        for weight in graph.nodes[place].weights
        if weight.role in ("weight", "gamma")
    }
    return replace(first, name="small", weights={**first.weights, **smaller})


def _last_weighted(graph: Graph) -> set[int]:
    """The weighted nodes that the loss reaches first, along every path."""
    found, frontier = set(), {len(graph.nodes) - 1}
    while frontier:
        place = frontier.pop()
        if place < 0:
            continue
        node = graph.nodes[place]
        if any(weight.trained for weight in node.weights):
            found.add(place)
        else:
            frontier.update(node.inputs)
    return found
