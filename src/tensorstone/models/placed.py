"""The model with every part in its place: named, its shapes known, its weights listed.

Emitters read this tree (a chain of leaves, forks and block uses, as a person would write the
model); the oracle reads the flat list of nodes made from it (`graph.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tensorstone.models import checks, messages
from tensorstone.models import layers as L
from tensorstone.models.named import Named, free_names, plain, restated
from tensorstone.models.shapes import Shape, Weight, joined_shape, output_shape, weights, width_axis
from tensorstone.models.structure import BlockUse, Fork, Part, Sequential
from tensorstone.support.errors import StoneError

Segments = tuple[Shape, ...]


@dataclass(frozen=True)
class Leaf:
    """One layer. Inside a block `path` has the use's name before it, `name` has not."""

    layer: L.Layer
    name: str  # "conv1", unique among its neighbours
    path: str  # "inception3a.conv1", unique in the model
    inputs: Shape
    outputs: Shape
    weights: tuple[Weight, ...]
    # For a layer that reads flattened maps: the maps, so that rooms with another order of axes
    # can permute. None where the order of axes makes no difference.
    flattened: Segments | None = None


@dataclass(frozen=True)
class Chain:
    """Parts one after another."""

    parts: tuple[Placed, ...]
    inputs: Shape
    outputs: Shape


@dataclass(frozen=True)
class PlacedFork:
    """Chains that read the same input."""

    join: str
    name: str
    path: str
    chains: tuple[Chain, ...]
    inputs: Shape
    outputs: Shape


@dataclass(frozen=True)
class PlacedUse:
    """A block's use. The body's numbers carry the names of the block's parameters."""

    block: str
    name: str
    path: str
    arguments: tuple[tuple[str, int], ...]
    body: Chain
    inputs: Shape
    outputs: Shape


Placed = Leaf | PlacedFork | PlacedUse


def leaves(chain: Chain) -> Iterator[Leaf]:
    """Every layer of a chain, in definition order."""
    for part in chain.parts:
        match part:
            case Leaf():
                yield part
            case PlacedFork():
                for path in part.chains:
                    yield from leaves(path)
            case PlacedUse():
                yield from leaves(part.body)


def uses(chain: Chain) -> Iterator[PlacedUse]:
    """Every use of a block, inner ones before those that contain them."""
    for part in chain.parts:
        match part:
            case PlacedFork():
                for path in part.chains:
                    yield from uses(path)
            case PlacedUse():
                yield from uses(part.body)
                yield part


def place(parts: Sequential, inputs: Shape) -> Chain:
    """Name every layer and infer every shape."""
    chain, _ = _Placing().chain(parts, inputs, None)
    return chain


class _Placing:
    """One naming scope: the model, or the body of one use of a block."""

    def __init__(self, prefix: str = "", parameters: Collection[str] = ()) -> None:
        self.prefix = prefix
        self.parameters = frozenset(parameters)
        self.counts: Counter[str] = Counter()
        self.taken: set[str] = set()

    def name(self, given: str, stem: str) -> str:
        self.counts[stem] += 1
        while not given and f"{stem}{self.counts[stem]}" in self.taken:
            self.counts[stem] += 1
        name = given or f"{stem}{self.counts[stem]}"
        if given:
            checks.identifier("a layer", given)
        if name in self.taken:
            raise StoneError(*messages.two_layers(self.prefix + name))
        self.taken.add(name)
        return name

    def own(self, name: str, values: tuple[object, ...]) -> None:
        """A block is written once for all its uses, so nothing but its parameters may be named."""
        for number in _numbers(values):
            for strange in free_names(number) - self.parameters:
                raise StoneError(*messages.not_the_blocks_own(self.prefix + name, strange))

    def chain(
        self, parts: Sequential, inputs: Shape, maps: Segments | None
    ) -> tuple[Chain, Segments | None]:
        shape, placed = inputs, []
        for part in parts.parts:
            try:
                item, maps = self.part(part, shape, maps)
            except StoneError as error:
                error.about = error.about or part  # the innermost
                raise
            placed.append(item)
            shape = item.outputs
        return Chain(tuple(placed), inputs, shape), maps

    def part(
        self, part: Part, shape: Shape, maps: Segments | None
    ) -> tuple[Placed, Segments | None]:
        match part:
            case L.Layer():
                return self.leaf(part, shape, maps)
            case Fork():
                return self.fork(part, shape, maps)
            case BlockUse():
                return self.use(part, shape, maps)
        raise StoneError(*messages.not_a_layer(part))

    def leaf(
        self, layer: L.Layer, shape: Shape, maps: Segments | None
    ) -> tuple[Leaf, Segments | None]:
        name = self.name(layer.name, layer.stem)
        self.own(name, tuple(layer.settings().values()))
        path = self.prefix + name
        outputs = output_shape(layer, path, shape)
        reads = maps if isinstance(layer, L.Dense | L.BatchNorm) else None
        leaf = Leaf(layer, name, path, shape, outputs, weights(layer, path, shape), reads)
        if isinstance(layer, L.Flatten) and len(shape) == 3:
            size = tuple(map(plain, shape))
            maps = (size,) if size[0] > 1 and size[1] * size[2] > 1 else None
        elif isinstance(layer, L.Dense) or len(outputs) == 3:
            maps = None
        return leaf, maps

    def fork(
        self, fork: Fork, shape: Shape, maps: Segments | None
    ) -> tuple[PlacedFork, Segments | None]:
        name = self.name(fork.name, fork.join)
        pairs = [self.chain(path, shape, maps) for path in fork.paths]
        chains = tuple(chain for chain, _ in pairs)
        path = self.prefix + name
        outputs = joined_shape(fork.join, path, [chain.outputs for chain in chains])
        after = _joined_maps(fork.join, path, pairs)
        return PlacedFork(fork.join, name, path, chains, shape, outputs), after

    def use(
        self, use: BlockUse, shape: Shape, maps: Segments | None
    ) -> tuple[PlacedUse, Segments | None]:
        name = self.name(use.name, use.block)
        path = self.prefix + name
        # Inside the block its input's width is a parameter too: PyTorch's classes ask for it.
        label = "in_channels" if len(shape) == 3 else "in_features"
        axis = width_axis(shape)
        inside = (*shape[:axis], Named(shape[axis], label), *shape[axis + 1 :])
        given = {**dict(use.arguments), label: shape[axis]}
        self.own(name, tuple(given.values()))
        body, after = _Placing(path + ".", given).chain(use.body, inside, maps)
        outputs = tuple(restated(n, given) if isinstance(n, Named) else n for n in body.outputs)
        return PlacedUse(use.block, name, path, use.arguments, body, shape, outputs), after


def _numbers(value: object) -> list[int]:
    if isinstance(value, tuple):
        return [n for v in value for n in _numbers(v)]
    return [value] if isinstance(value, Named) else []


def _joined_maps(
    join: str, name: str, pairs: list[tuple[Chain, Segments | None]]
) -> Segments | None:
    """Where each stretch of a joined vector came from, if any of it was once a map."""
    found = [maps for _, maps in pairs]
    if not any(found):
        return None
    if join == "concat":
        segments: list[Shape] = []
        for chain, maps in pairs:
            segments += maps or ((plain(chain.outputs[0]), 1, 1),)
        return tuple(segments)
    if any(maps != found[0] for maps in found):
        raise StoneError(*messages.flattened_differently(name))
    return found[0]
