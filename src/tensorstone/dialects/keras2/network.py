"""The network: a list of layers where that is enough, else the functional API."""

from __future__ import annotations

from dataclasses import dataclass

from tensorstone.dialects.keras2.construction import Construction, applied, entries
from tensorstone.dialects.keras2.folding import Keras2Folding
from tensorstone.dialects.keras2.writer import Keras2Writer
from tensorstone.dialects.shared.writing import (
    Names,
    Say,
    Unpacked,
    assignments,
    call,
    definitions,
    statements,
    use_arguments,
)
from tensorstone.models import layers as L
from tensorstone.models.placed import Chain, Leaf, PlacedUse


@dataclass(frozen=True)
class BlockFunction:
    """A block's function: its name, its parameters, its statements."""

    name: str
    parameters: tuple[str, ...]
    body: list[str]


@dataclass(frozen=True)
class Network:
    """What the template writes: entries of a Sequential, or blocks and statements."""

    sequential: list[str]
    blocks: list[BlockFunction]
    body: list[str]

    @property
    def lines(self) -> list[str]:
        return [*self.sequential, *self.body, *(line for b in self.blocks for line in b.body)]


def network(folded: Keras2Folding, writer: Keras2Writer) -> Network:
    """The chain in writer, each remark made once."""
    chain, made = folded.chain, set[str]()
    if all(isinstance(part, Leaf) for part in chain.parts):
        steps = [step for part in chain.parts for step in _steps(writer, folded, part)]
        if all(step.listed for step in steps):
            first, *rest = steps
            return Network(once(entries([first.reading(chain.inputs), *rest]), made), [], [])
    names: Names = {}
    say = _say(writer, folded, names)
    found = definitions(chain, lambda use: _text(use.body, say), names, width_wanted=False)
    blocks = [
        BlockFunction(one.name, ("x", *one.parameters), once(statements(one.use.body, say), made))
        for one in found
    ]
    return Network([], blocks, once(assignments(chain, say), made))


def once(lines: list[str], made: set[str]) -> list[str]:
    """The lines without remarks already `made` earlier in the program."""
    kept: list[str] = []
    for line in (line for several in lines for line in several.splitlines()):
        if line.startswith("#"):
            if line in made:
                continue
            made.add(line)
        kept.append(line)
    return kept


def _say(writer: Keras2Writer, folded: Keras2Folding, names: Names) -> Say:
    def unpacked(leaf: Leaf, x: str, variable: str) -> Unpacked:
        return applied(_steps(writer, folded, leaf), x, variable)

    def use(use: PlacedUse, x: str) -> str:
        given = use_arguments(use, names[use.path])
        return call(names[use.path].name, x, *([given] if given else []))

    return Say(
        layer=lambda leaf, x: "",  # all of them are unpacked
        use=use,
        concat=lambda ends: f"layers.concatenate([{', '.join(ends)}], axis=1)",
        concat_steps=lambda ends: f"layers.concatenate([{', '.join(ends)}])",
        add=lambda ends: f"layers.add([{', '.join(ends)}])",
        unpacked=unpacked,
        openers=(L.Layer,),
    )


def _steps(writer: Keras2Writer, folded: Keras2Folding, leaf: object) -> list[Construction]:
    assert isinstance(leaf, Leaf)
    return writer.steps(leaf, folded.activations.get(leaf.path))


def _text(chain: Chain, say: Say) -> str:
    return "\n".join(statements(chain, say))
