"""One layer of an emitted network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Construction:
    """A Keras layer's construction, and what a newcomer would stumble over."""

    text: str
    note: str = ""
    listed: bool = True  # a Sequential may hold it

    def reading(self, shape: tuple[int, ...]) -> Construction:
        """The same layer as the first of a Sequential, which says what the network reads."""
        tokens = self.text.startswith("layers.Embedding")
        given = f"input_length={shape[0]}" if tokens else f"input_shape={shape}"
        comma = "" if self.text.endswith("()") else ", "
        return Construction(f"{self.text[:-1]}{comma}{given})", self.note)


def entries(steps: list[Construction]) -> list[str]:
    """Steps as the entries of a list of layers."""
    return [line for step in steps for line in (*_noted(step), f"{step.text},")]


def applied(steps: list[Construction], x: str, variable: str) -> tuple[list[str], str]:
    """Steps one after another on `x`: all but the last as statements, the last as an expression."""
    lines: list[str] = []
    for step in steps:
        lines += [f"{variable} = {x}"] if x.endswith(")") else []
        x = variable if x.endswith(")") else x
        lines += _noted(step)
        x = f"{step.text}({x})"
    return lines, x


def _noted(step: Construction) -> list[str]:
    return [step.note] if step.note else []
