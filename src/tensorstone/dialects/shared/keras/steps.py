"""The calls of an emitted network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tensorstone.models import layers as L
from tensorstone.models.placed import Leaf


@dataclass(frozen=True)
class Step:
    """A Keras layer, or a function of the tensor (`{x}` in its text).

    `before`: statements that come first, of the tensor `{x}` and the variable `{to}` to write.
    """

    text: str
    is_layer: bool = True
    note: str = ""
    before: tuple[str, ...] = ()

    def on(self, x: str, to: str) -> tuple[list[str], str]:
        """The lines that come before, and the expression that is the result."""
        first = [line.format(x=x, to=to) for line in self.before]
        return first, f"{self.text}({x})" if self.is_layer else self.text.format(x=x, to=to)


def steps(
    parts: Iterable[object],
    say: Callable[[Leaf, str | None], list[Step]],
    activations: Mapping[str, str],
) -> list[Step]:
    """Layers one after another, activations given to the layer before where it takes one."""
    found: list[Step] = []
    waiting: Leaf | None = None  # a layer that may yet be given an activation
    for leaf in parts:
        assert isinstance(leaf, Leaf)
        if waiting is not None:
            activation = activations.get(leaf.layer.kind)
            found += say(waiting, activation)
            waiting = None
            if activation:
                continue
        if isinstance(leaf.layer, L.Conv2D | L.Dense):
            waiting = leaf
        else:
            found += say(leaf, None)
    return found + (say(waiting, None) if waiting else [])


def lines(steps: Iterable[Step]) -> list[str]:
    """Steps as the entries of a list of layers."""
    return [
        line for step in steps for line in ([step.note] if step.note else []) + [step.text + ","]
    ]


def once(source: Iterable[str], made: set[str]) -> list[str]:
    """The lines without comments already `made` earlier in the program."""
    kept: list[str] = []
    for line in source:
        if line.startswith("#"):
            if line in made:
                continue
            made.add(line)
        kept.append(line)
    return kept
