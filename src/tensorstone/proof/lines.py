"""The line of an emitted program that a layer stands on.

Found by emitting the workload once more with only that layer changed a little: the line that
differs is the layer's. Where more lines than one differ, none is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from tensorstone.dialects.emit import Unsupported, emit_part
from tensorstone.dialects.registry import Dialect
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.model import Model
from tensorstone.models.placed import Chain, Leaf, Placed, PlacedFork, PlacedUse
from tensorstone.models.structure import BlockUse, Fork, Part, Sequential
from tensorstone.models.workload import Workload
from tensorstone.proof.sources import Edit
from tensorstone.support.errors import StoneError

_LONGEST = 76  # characters that are shown


def line_of(
    place: str, program: str, workload: Workload, dialect: Dialect, edit: Edit | None
) -> str:
    """ "line 14: self.fc1 = nn.Linear(8, 10)"; nothing where it cannot be told with certainty."""
    model = workload.model
    for path in (place, place.rpartition(".")[0]):  # an array's layer
        for body in _changed(model.body, model.chain, path):
            try:
                other = Model(model.name, model.inputs, body)
                text = emit_part(replace(workload, model=other), dialect)
            except (StoneError, Unsupported):
                continue
            if number := _only_difference(program, edit(text) if edit else text):
                return _said(program, number)
    return _definition(place, program)


def _definition(place: str, program: str) -> str:
    """The one line that gives a layer its name."""
    names = {place, place.rpartition(".")[0]} - {""}
    wanted = re.compile(rf"\s*(self\.)?({'|'.join(map(re.escape, names))}) = ")
    found = [n for n, line in enumerate(program.splitlines(), 1) if wanted.match(line)]
    return _said(program, found[0]) if len(found) == 1 else ""


def _said(program: str, number: int) -> str:
    return f"line {number}: {_shown(program.splitlines()[number - 1])}"


def _changed(sequence: Sequential, chain: Chain, path: str) -> Iterator[Sequential]:
    """The same parts with the layer at the path changed, in each way there is."""
    for place, (part, placed) in enumerate(zip(sequence.parts, chain.parts, strict=True)):
        for other in _changed_part(part, placed, path):
            yield Sequential(*sequence.parts[:place], other, *sequence.parts[place + 1 :])


def _changed_part(part: Part, placed: Placed, path: str) -> Iterator[Part]:
    match part, placed:
        case L.Layer(), Leaf() if placed.path == path:
            for layer in _others(part):
                yield replace(layer, name=placed.name)  # so that no other layer's name changes
        case Fork(), PlacedFork():
            for n, (inner, chain) in enumerate(zip(part.paths, placed.chains, strict=True)):
                for body in _changed(inner, chain, path):
                    yield replace(part, paths=(*part.paths[:n], body, *part.paths[n + 1 :]))
        case BlockUse(), PlacedUse():
            for body in _changed(part.body, placed.body, path):
                yield replace(part, body=body)


def _others(layer: L.Layer) -> Iterator[L.Layer]:
    """Layers of the same output shape that are written otherwise."""
    match layer:
        case L.Dense() | L.Conv2D():
            yield replace(layer, bias=not layer.bias)
        case L.LeakyReLU():
            yield replace(layer, slope=layer.slope / 2)
        case L.Softmax() | L.Activation():
            for kind in (L.Tanh, L.ReLU, L.Sigmoid):
                if kind is not type(layer):
                    yield kind()
        case L.MaxPool2D():
            yield L.AvgPool2D(layer.kernel, layer.stride, layer.padding)
        case L.AvgPool2D():
            yield L.MaxPool2D(layer.kernel, layer.stride, layer.padding)
        case L.BatchNorm():
            yield replace(layer, epsilon=layer.epsilon * 4)
        case L.Dropout():
            yield replace(layer, rate=(1 + layer.rate) / 2)
        case R.Embedding():
            yield replace(layer, vocabulary=layer.vocabulary + 1)
        case R.Recurrent() if getattr(layer, "reset_after", True):
            yield replace(layer, biases=3 - layer.biases)


def _only_difference(program: str, other: str) -> int | None:
    """The number of the one line that the other text has otherwise."""
    lines = program.splitlines(), other.splitlines()
    changes = [c for c in SequenceMatcher(None, *lines, False).get_opcodes() if c[0] != "equal"]
    if len(changes) != 1:
        return None
    kind, first, last, *_ = changes[0]
    return first + 1 if kind == "replace" and last - first == 1 else None


def _shown(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
