"""The model as a flat list of nodes in the order they can be computed: what the oracle runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse
from tensorstone.models.shapes import Shape, Weight


@dataclass(frozen=True)
class Join(L.Layer):
    """Several inputs made one: `concat` along the channels, or `add`."""

    stem: ClassVar[str] = "join"
    jump: ClassVar[L.Jump] = "nowhere"
    how: str = "concat"


@dataclass(frozen=True)
class Node:
    """One computation. Inputs are positions in the list; −1 is the model's input."""

    name: str
    layer: L.Layer
    inputs: tuple[int, ...]
    shape: Shape
    weights: tuple[Weight, ...] = ()
    # Known ways of computing it wrongly, switched on by the diagnosis (proof/deviations).
    quirks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Graph:
    """The nodes and the input's shape; the last node is the output."""

    inputs: Shape
    nodes: tuple[Node, ...]

    @property
    def outputs(self) -> Shape:
        return self.nodes[-1].shape if self.nodes else self.inputs

    @property
    def weights(self) -> tuple[Weight, ...]:
        return tuple(weight for node in self.nodes for weight in node.weights)


def flatten(chain: Chain) -> Graph:
    """Undo the tree: forks become joins with several inputs, blocks dissolve."""
    nodes: list[Node] = []
    _walk(chain, -1, nodes)
    return Graph(tuple(int(n) for n in chain.inputs), tuple(nodes))


def _walk(chain: Chain, source: int, nodes: list[Node]) -> int:
    """Append the chain's nodes and return where its result is."""
    for part in chain.parts:
        match part:
            case Leaf():
                nodes.append(
                    Node(part.path, part.layer, (source,), _plain(part.outputs), part.weights)
                )
                source = len(nodes) - 1
            case PlacedFork():
                ends = tuple(_walk(path, source, nodes) for path in part.chains)
                nodes.append(Node(part.path, Join(how=part.join), ends, _plain(part.outputs)))
                source = len(nodes) - 1
            case PlacedUse():
                source = _walk(part.body, source, nodes)
    return source


def _plain(shape: Shape) -> Shape:
    return tuple(int(n) for n in shape)
