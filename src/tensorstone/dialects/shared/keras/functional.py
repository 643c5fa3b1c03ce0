"""The functional API: one statement for each layer, blocks as functions of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from tensorstone.dialects.shared.keras.steps import Step
from tensorstone.dialects.shared.writing import Names, call, definitions, use_arguments
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse


class LayersWriter(Protocol):
    """What a room must be able to say."""

    def steps(self, parts: list[Leaf]) -> list[Step]:
        """Layers one after another."""
        ...

    def joined(self, fork: PlacedFork, ends: list[str]) -> str:
        """Paths joined, from the variables they end in."""
        ...

    def passed(self, use: PlacedUse) -> tuple[str, ...]:
        """What a block's function is given between the tensor and its numbers."""
        ...


@dataclass(frozen=True)
class TensorFunction:
    """A block's function: its name, its parameters after the tensor, its statements."""

    name: str
    parameters: tuple[str, ...]
    body: list[str]
    use: PlacedUse  # one of its uses


@dataclass(frozen=True)
class _Statements:
    writer: LayersWriter
    names: Names = field(default_factory=dict)

    def chain(self, chain: Chain, read: str, write: str) -> tuple[list[str], str]:
        """Statements, and the expression that is the chain's result (not yet assigned)."""
        lines: list[str] = []
        current = read
        for run in _runs(chain):
            if isinstance(run, list):
                for step in self.writer.steps(run):
                    current = _settled(lines, current, read, write)
                    first, current = step.on(current, write)
                    lines += [*([step.note] if step.note else []), *first]
                continue
            current = _settled(lines, current, read, write)
            if isinstance(run, PlacedUse):
                current = self.use(run, current)
            else:
                inner, current = self.fork(run, current, write)
                lines += inner
        return lines, current

    def use(self, use: PlacedUse, x: str) -> str:
        definition = self.names[use.path]
        given = use_arguments(use, definition)
        return call(definition.name, x, *self.writer.passed(use), *([given] if given else []))

    def fork(self, fork: PlacedFork, read: str, write: str) -> tuple[list[str], str]:
        lines: list[str] = []
        ends: list[str] = []
        changing = sum(bool(path.parts) for path in fork.chains)
        position = 0
        for path in fork.chains:
            if not path.parts:  # the path that changes nothing
                ends.append(read)
                continue
            position += 1
            variable = _branch(fork, changing, position, write)
            inner, result = self.chain(path, read, variable)
            lines += [*inner, *([] if result == variable else [f"{variable} = {result}"])]
            ends.append(variable)
        if len(ends) == 1:
            return lines, ends[0]
        return lines, self.writer.joined(fork, ends)

    def text(self, use: PlacedUse) -> str:
        lines, result = self.chain(use.body, "x", "x")
        return "\n".join([*lines, f"return {result}"])


def written(chain: Chain, writer: LayersWriter) -> tuple[list[TensorFunction], list[str]]:
    """Every distinct block, inner ones first, and what makes `outputs` of `inputs`."""
    walk = _Statements(writer)
    found = definitions(chain, walk.text, walk.names, width_wanted=False)
    blocks = [
        TensorFunction(
            one.name,
            (*writer.passed(one.use), *one.parameters),
            walk.text(one.use).splitlines(),
            one.use,
        )
        for one in found
    ]
    lines, result = walk.chain(chain, "inputs", "x")
    return blocks, [*lines, f"outputs = {result}"]


def _settled(lines: list[str], current: str, read: str, write: str) -> str:
    """The variable that holds the expression so far, assigned first where it has none."""
    if current in (read, write):
        return current
    lines.append(f"{write} = {current}")
    return write


def _branch(fork: PlacedFork, changing: int, position: int, write: str) -> str:
    """What a path's variable is called: y beside x in a residual sum, else branch1, branch2, …"""
    if fork.join == "add" and changing == 1:
        return "y" if write == "x" else f"{write}y"
    return f"branch{position}" if write == "x" else f"{write}_{position}"


def _runs(chain: Chain) -> Iterator[list[Leaf] | PlacedFork | PlacedUse]:
    """Neighbouring layers together, so that an activation meets the layer before it."""
    run: list[Leaf] = []
    for part in chain.parts:
        if isinstance(part, Leaf):
            run.append(part)
            continue
        if run:
            yield run
            run = []
        yield part
    if run:
        yield run
