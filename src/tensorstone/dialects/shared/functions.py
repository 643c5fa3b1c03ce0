"""Layers that a framework says with one function of the input, from a table of the room."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tensorstone.dialects import messages
from tensorstone.dialects.emit import Unsupported
from tensorstone.models.named import plain
from tensorstone.models.placed import Leaf


def function(table: Mapping[str, str], leaf: Leaf, x: str, framework: str) -> str:
    """The layer's text with `{x}` filled in, or `Unsupported` if the table does not have it."""
    if leaf.layer.kind not in table:
        raise no_way(leaf, framework)
    return table[leaf.layer.kind].format(x=x)


def helpers(table: Mapping[str, str], text: str) -> list[str]:
    """The functions, by name, that a program must define because its text calls them."""
    return [source for name, source in table.items() if re.search(rf"\b{name}\b", text)]


def no_way(leaf: Leaf, framework: str) -> Unsupported:
    """The reason given for a layer that a room does not write."""
    return Unsupported(messages.not_written(leaf.name, leaf.layer.kind, framework))


def unnamed(numbers: object) -> tuple[object, ...]:
    """A pair, or a pair of pairs, as plain numbers: where the names of a block's parameters are
    not visible."""
    assert isinstance(numbers, tuple)
    return tuple(unnamed(n) if isinstance(n, tuple) else plain(n) for n in numbers)
