"""A model: a name, an input, and layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tensorstone.models import checks, messages
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.graph import Graph, flatten
from tensorstone.models.placed import Chain, Leaf, leaves, place, uses
from tensorstone.models.shapes import Shape, Weight
from tensorstone.models.structure import BlockUse, Fork, Part, Path, Sequential
from tensorstone.support.errors import StoneError


@dataclass(frozen=True)
class Model:
    """Layers on an input of one shape: (channels, height, width), (time, features), (features,),
    or (time,) for tokens, which an Embedding reads first."""

    name: str  # as a class would be called: "LeNet"
    inputs: Shape
    body: Sequential

    def __init__(self, name: str, inputs: Sequence[int], layers: Path) -> None:
        checks.identifier("a model", name)
        shape = _input_shape(name, inputs)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "inputs", shape)
        object.__setattr__(self, "body", Sequential(layers))
        if not self.chain.parts:
            raise StoneError(*messages.no_layers(name))
        _only_first(name, self.chain)
        for use in uses(self.chain):
            if use.block.replace("_", "").lower() == name.replace("_", "").lower():
                raise StoneError(*messages.model_named_as_block(name, use.block))

    @cached_property
    def chain(self) -> Chain:
        """The tree with names and shapes."""
        return place(self.body, self.inputs)

    @cached_property
    def graph(self) -> Graph:
        """The flat list of nodes."""
        return flatten(self.chain)

    @property
    def vocabulary(self) -> int | None:
        """How many tokens its input is made of; None where inputs are numbers."""
        first = self.chain.parts[0]
        if isinstance(first, Leaf) and isinstance(first.layer, R.Embedding):
            return int(first.layer.vocabulary)
        return None

    @property
    def outputs(self) -> Shape:
        return self.graph.outputs

    @property
    def weights(self) -> tuple[Weight, ...]:
        """Every array, in definition order."""
        return self.graph.weights

    @property
    def parameters(self) -> int:
        """How many numbers training changes."""
        return sum(weight.size for weight in self.weights if weight.trained)

    @property
    def weighted(self) -> list[Leaf]:
        """The layers that own weights, in definition order."""
        return [leaf for leaf in leaves(self.chain) if leaf.weights]

    @property
    def dropout_rates(self) -> list[float]:
        """The rates of its dropout layers, in definition order."""
        found = (leaf.layer for leaf in leaves(self.chain))
        return [layer.rate for layer in found if isinstance(layer, L.Dropout)]

    def without_dropout(self) -> Model:
        """The same model with every dropout rate zero: masks differ between frameworks."""
        return Model(self.name, self.inputs, _undropped(self.body))


def _input_shape(name: str, inputs: object) -> Shape:
    """The input's shape as a tuple, checked."""
    if not isinstance(inputs, tuple | list) or len(inputs) not in (1, 2, 3):
        raise StoneError(*messages.not_an_input_shape(name, inputs))
    for n in inputs:
        checks.whole(name, "a number of the input shape", n, least=1)
    return tuple(inputs)


def _only_first(name: str, chain: Chain) -> None:
    """Tokens are whole numbers, and only the model's input is."""
    for leaf in leaves(chain):
        if isinstance(leaf.layer, R.Embedding) and (leaf is not chain.parts[0] or leaf.inputs[1:]):
            raise StoneError(*messages.embedding_not_first(name, leaf.path))


def _undropped(sequence: Sequential) -> Sequential:
    return Sequential(*(_undropped_part(part) for part in sequence.parts))


def _undropped_part(part: Part) -> Part:
    match part:
        case L.Dropout():
            return replace(part, rate=0.0)
        case Fork():
            return replace(part, paths=tuple(map(_undropped, part.paths)))
        case BlockUse():
            return replace(part, body=_undropped(part.body))
    return part
