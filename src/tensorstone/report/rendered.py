"""Parts of a result as text and as HTML, for whoever is not a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, RenderableType

WIDTH = 100
# A <pre> of the page's own colours; rich escapes what it shows.
PAGE = '<pre style="line-height:1.3;font-family:ui-monospace,Menlo,Consolas,monospace">{code}</pre>'


class Shown:
    """What `print` shows as text and a notebook as HTML."""

    def __init__(self, parts: Iterable[RenderableType], width: int = WIDTH) -> None:
        self._parts: Sequence[RenderableType] = tuple(parts)
        self._width = width

    def __str__(self) -> str:
        console = self._console()
        with console.capture() as captured:
            for part in self._parts:
                console.print(part)
        return captured.get().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        console = self._console(record=True, force_terminal=True, color_system="truecolor")
        for part in self._parts:
            console.print(part)
        return console.export_html(inline_styles=True, code_format=PAGE)

    def _console(self, **how: Any) -> Console:
        """One that shows nothing by itself: in a notebook rich would display what is printed."""
        return Console(
            file=io.StringIO(),
            width=self._width,
            highlight=False,
            emoji=False,
            force_jupyter=False,
            **how,
        )
