"""Where in the model values are dropped, seen in the first dense layers that read them.

After one step on one sample a dense layer's weights have not moved in the columns of the inputs
that were zero. Of inputs that are not zero by themselves as many must be as the dropout before the
layer drops, and none where there is no dropout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.models import layers as L
from tensorstone.models.graph import Graph, Node
from tensorstone.models.model import Model
from tensorstone.oracle import Arrays, activations
from tensorstone.proof.dropout import Answer
from tensorstone.proof.levels import CheckedLevel
from tensorstone.proof.probed import ProbedProgram
from tensorstone.proof.probing.probe import Probe

IMPROBABLE = 1e-9
EXPECTED, STEPS = 40.0, 40  # drops that are looked for, and steps in which they are
_PASSING = (L.ReLU, L.LeakyReLU, L.Tanh, L.GELU, L.SiLU, L.Flatten)  # a zero stays one


@dataclass(frozen=True)
class _Reader:
    """A dense layer before which nothing is dropped but just before it."""

    node: Node
    source: int  # of what it reads
    rate: float
    dropout: str  # the layer that drops; nothing where none does


def ask(subject: ProbedProgram, model: Model, probe: Probe) -> list[Answer]:
    """Nothing where it cannot be seen."""
    graph = model.graph
    if any(isinstance(node.layer, L.BatchNorm) for node in graph.nodes):
        return []  # one sample has no variance
    readers = list(_readers(graph))
    if not any(reader.rate for reader in readers):
        return []
    seen = {reader.node.name: [0, 0] for reader in readers}
    run, undropped = probe.trace, model.without_dropout().graph
    subject.start(run.weights)
    for step in range(STEPS):
        k = step % len(run.x)
        x, y = run.x[k : k + 1], run.y[k : k + 1]
        values = activations(undropped, run.weights, x, training=True)
        subject.start(run.weights)
        subject.learner(probe.step_rate)
        subject.train(x, y, 1)
        _count(seen, readers, values, run.weights, subject.read())
        if all(r.rate * seen[r.node.name][0] >= EXPECTED for r in readers if r.rate):
            break
    return [answer for reader in readers if (answer := _judged(reader, *seen[reader.node.name]))]


def _readers(graph: Graph) -> Iterator[_Reader]:
    dropped: dict[int, bool] = {-1: False}  # whether anything on the way to a node was dropped
    for place, node in enumerate(graph.nodes):
        drops = isinstance(node.layer, L.Dropout) and node.layer.rate > 0
        dropped[place] = drops or any(dropped[source] for source in node.inputs)
        if type(node.layer) is not L.Dense:
            continue
        source, rate, name = node.inputs[0], 0.0, ""
        while source >= 0:
            before = graph.nodes[source].layer
            if isinstance(before, L.Dropout) and not rate:
                rate, name = before.rate, graph.nodes[source].name
            elif not isinstance(before, _PASSING):
                break
            source = graph.nodes[source].inputs[0]
        if not dropped[source]:
            yield _Reader(node, node.inputs[0], rate, name)


def _count(
    seen: dict[str, list[int]],
    readers: list[_Reader],
    values: list[np.ndarray],
    start: Arrays,
    after: Arrays,
) -> None:
    for reader in readers:
        if reader.source < 0:
            continue
        weight = next(w.name for w in reader.node.weights if w.role == "weight")
        moved = (after[weight] != start[weight]).any(axis=0)
        if not moved.any():
            continue  # no gradient came: nothing is seen of what was dropped
        given = values[reader.source].reshape(-1)
        alive = np.abs(given) > 1e-3 * np.abs(given).max()
        seen[reader.node.name][0] += int(alive.sum())
        seen[reader.node.name][1] += int((alive & ~moved).sum())


def _judged(reader: _Reader, count: int, dropped: int) -> Answer | None:
    if not count or _probable(reader.rate, count, dropped):
        return None
    share, name = dropped / count, reader.node.name
    place = reader.dropout or name
    level = CheckedLevel(abs(share - reader.rate), 0.0, False, place)
    if not reader.rate:
        return Answer(level, None, f"reads numbers that are dropped: {share:.2g} of them")
    if not dropped:
        return Answer(level, None, f"drops nothing of what {name} reads")
    text = f"drops about {share:.2g} of what {name} reads, not {reader.rate:g}"
    return Answer(level, None, text)


def _probable(rate: float, count: int, dropped: int) -> bool:
    """Whether so many, or more unlikely numbers on that side, may be chance."""
    if rate == 0:
        return dropped == 0
    below = dropped < rate * count
    tail = range(dropped + 1) if below else range(dropped, count + 1)
    return sum(_binomial(rate, count, k) for k in tail) > IMPROBABLE


def _binomial(rate: float, count: int, k: int) -> float:
    ways = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
    return math.exp(ways + k * math.log(rate) + (count - k) * math.log(1 - rate))
