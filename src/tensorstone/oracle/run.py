"""A graph run forwards, and backwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tensorstone.models.graph import Graph, Node
from tensorstone.oracle.call import Approximation, Call, Operation, exact
from tensorstone.oracle.case import Arrays, Case
from tensorstone.oracle.losses import ONE_BY_ONE, loss_and_slope
from tensorstone.oracle.operations import BLOCKED, blocked_input, operation

_INPUT = -1  # the model's input among the nodes' positions

# Training that diverges ends in infinities: numbers to compare like any others, not warnings.
diverging = np.errstate(over="ignore", invalid="ignore", divide="ignore")


@dataclass(frozen=True)
class _Done:
    """A node that has been computed."""

    node: Node
    call: Call
    operation: Operation
    output: np.ndarray
    saved: Any


@diverging
def forward(
    graph: Graph,
    weights: Arrays,
    x: np.ndarray,
    dtype: DTypeLike = np.float64,
    training: bool = False,
    approximate: Approximation = exact,
) -> np.ndarray:
    """The graph's output for the batch `x`."""
    output = np.asarray(x, dtype)
    arrays = _cast(graph, weights, dtype)
    for done in _compute(graph, arrays, output, approximate, training=training):
        output = done.output
    return output


@diverging
def activations(
    graph: Graph,
    weights: Arrays,
    x: np.ndarray,
    dtype: DTypeLike = np.float64,
    training: bool = False,
) -> list[np.ndarray]:
    """The output of every node."""
    arrays = _cast(graph, weights, dtype)
    steps = _compute(graph, arrays, np.asarray(x, dtype), exact, training=training)
    return [done.output for done in steps]


@diverging
def output(node: Node, weights: Arrays, *inputs: np.ndarray) -> np.ndarray:
    """What one node makes of its inputs in training, in float64."""
    arrays: Arrays = {w.role: np.asarray(weights[w.name], np.float64) for w in node.weights}
    call = Call(node.layer, node.name, arrays, node.quirks, training=True)
    found: np.ndarray = operation(node).forward(call, *inputs)[0]
    return found


def gradients(
    case: Case,
    weights: Arrays,
    x: np.ndarray,
    y: np.ndarray,
    dtype: DTypeLike = np.float64,
    step: int = 0,
    approximate: Approximation = exact,
) -> tuple[float, Arrays, Arrays]:
    """The batch's loss, the gradient of every trained weight, and the new running statistics."""
    loss, found, statistics, _ = with_input_gradient(
        case, weights, x, y, dtype, step, False, approximate
    )
    return loss, found, statistics


@diverging
def with_input_gradient(
    case: Case,
    weights: Arrays,
    x: np.ndarray,
    y: np.ndarray,
    dtype: DTypeLike = np.float64,
    step: int = 0,
    wanted: bool = True,
    approximate: Approximation = exact,
) -> tuple[float, Arrays, Arrays, np.ndarray | None]:
    """As `gradients`, with the gradient of `x` too where it is `wanted`."""
    arrays = _cast(case.graph, weights, dtype)
    steps = list(
        _compute(
            case.graph,
            arrays,
            np.asarray(x, dtype),
            approximate,
            training=True,
            conventions=case.conventions,
            step=step,
            to_input=wanted,
        )
    )
    summed = "sum-over-batch" in case.quirks
    one_by_one = ONE_BY_ONE in case.quirks
    loss, slope = loss_and_slope(case.loss, steps[-1].output, y, summed, approximate, one_by_one)
    statistics = {
        f"{done.node.name}.{role}": value
        for done in steps
        if done.operation.statistics
        for role, value in done.operation.statistics(done.call, done.saved).items()
    }
    found, input_gradient = _back(steps, slope, arrays)
    return loss, found, statistics, input_gradient


def _cast(graph: Graph, weights: Arrays, dtype: DTypeLike) -> Arrays:
    return {weight.name: np.asarray(weights[weight.name], dtype) for weight in graph.weights}


def _compute(
    graph: Graph,
    weights: Arrays,
    x: np.ndarray,
    approximate: Approximation,
    *,
    training: bool = False,
    conventions: frozenset[str] = frozenset(),
    step: int = 0,
    to_input: bool = False,
) -> Iterator[_Done]:
    """Every node in order. A value is forgotten after its last use, unless a layer saved it."""
    uses = Counter(source for node in graph.nodes for source in node.inputs)
    values = {_INPUT: x}
    learns = {_INPUT: to_input}  # whether gradients must flow back to this value
    for position, node in enumerate(graph.nodes):
        upstream = any(learns[source] for source in node.inputs)
        learns[position] = upstream or any(weight.trained for weight in node.weights)
        call = Call(
            node.layer,
            node.name,
            {weight.role: weights[weight.name] for weight in node.weights},
            node.quirks,
            conventions,
            training,
            step,
            upstream,
        )
        known = operation(node)
        output, saved = known.forward(call, *(values[source] for source in node.inputs))
        if known.approximated:
            output = approximate(output)
        values[position] = output
        for source in node.inputs:
            uses[source] -= 1
            if not uses[source]:
                del values[source]
        yield _Done(node, call, known, output, saved)


def _back(
    steps: list[_Done], slope: np.ndarray, weights: Arrays
) -> tuple[Arrays, np.ndarray | None]:
    """Gradients of every trained weight, in definition order, and of the input where it flowed."""
    found: Arrays = {}
    flowing = {len(steps) - 1: slope}
    for position in range(len(steps) - 1, -1, -1):
        done = steps.pop()  # what it saved is free once it has been used
        dy = flowing.pop(position, None)
        if dy is None:
            dy = np.zeros_like(done.output)
        by_source, by_role = done.operation.backward(done.call, done.saved, dy)
        for weight in done.node.weights:
            if weight.trained:
                gradient = by_role.get(weight.role)
                array = weights[weight.name]
                found[weight.name] = np.zeros_like(array) if gradient is None else gradient
        if done.call.carries:
            quirks = done.node.quirks
            sources = zip(done.node.inputs, by_source, strict=True)
            for place, (source, dx) in enumerate(sources):
                if quirks and quirks & {BLOCKED, blocked_input(place)}:
                    dx = np.zeros_like(dx)
                flowing[source] = flowing[source] + dx if source in flowing else dx
    ordered = {name: found[name] for name in weights if name in found}
    return ordered, flowing.get(_INPUT)
