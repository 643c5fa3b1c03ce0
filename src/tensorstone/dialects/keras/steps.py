"""One call of an emitted network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A Keras layer, or a function of the tensor (`{x}` in its text)."""

    text: str
    is_layer: bool = True
    note: str = ""

    def on(self, x: str) -> str:
        return f"{self.text}({x})" if self.is_layer else self.text.format(x=x)
