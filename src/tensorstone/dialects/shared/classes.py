"""Models as classes, for rooms whose users write them so: members made first, applied later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tensorstone.dialects.shared.writing import (
    Names,
    Say,
    Unpacked,
    camel,
    definitions,
    statements,
    use_arguments,
)
from tensorstone.models.model import Model
from tensorstone.models.placed import Chain, Leaf, PlacedFork, PlacedUse


@dataclass(frozen=True)
class Style:
    """How a room writes the pieces of a class."""

    module: Callable[[Leaf], str | None]  # what a layer owns; None for a plain function
    expression: Callable[[Leaf, str], str]  # the layer applied to an expression
    concat: Callable[[list[str]], str]
    # A block's class called with these arguments; the last says whether it owns anything.
    construction: Callable[[str, str, bool], str]
    # As in `Say`.
    concat_steps: Callable[[list[str]], str] | None = None
    add_steps: Callable[[list[str]], str] | None = None
    unpacked: Callable[[Leaf, str, str], Unpacked | None] = lambda leaf, x, variable: None


@dataclass(frozen=True)
class Class:
    """One class: its constructor's parameters after `self`, its members, its forward pass."""

    name: str
    parameters: tuple[str, ...]
    members: list[str]
    forward: list[str]


def classes(model: Model, style: Style) -> list[Class]:
    """One class for each distinct block, inner ones first, then the model's own."""
    names: Names = {}
    blocks = definitions(
        model.chain, lambda use: _text(use.body, style, names), names, width_wanted=True
    )
    written = [_class(camel(b.name), b.parameters, b.use.body, style, names) for b in blocks]
    return [*written, _class(model.name, (), model.chain, style, names)]


def _class(
    name: str, parameters: tuple[str, ...], chain: Chain, style: Style, names: Names
) -> Class:
    return Class(name, parameters, _members(chain, style, names), _forward(chain, style))


def _text(chain: Chain, style: Style, names: Names) -> str:
    """A body as text, to see whether two uses of a block read the same."""
    return "\n".join([*_members(chain, style, names), *_forward(chain, style)])


def _forward(chain: Chain, style: Style) -> list[str]:
    say = Say(
        layer=style.expression,
        use=lambda use, x: f"self.{use.name}({x})",
        concat=style.concat,
        concat_steps=style.concat_steps,
        add_steps=style.add_steps,
        unpacked=style.unpacked,
    )
    return statements(chain, say)


def _members(chain: Chain, style: Style, names: Names) -> list[str]:
    """What a class owns, in the order the model has it."""
    lines: list[str] = []
    for part in chain.parts:
        match part:
            case Leaf() if module := style.module(part):
                lines.append(f"self.{part.name} = {module}")
            case PlacedFork():
                lines += [line for path in part.chains for line in _members(path, style, names)]
            case PlacedUse():
                definition = names[part.path]
                made = style.construction(
                    camel(definition.name),
                    use_arguments(part, definition),
                    bool(_members(part.body, style, names)),
                )
                lines.append(f"self.{part.name} = {made}")
    return lines
