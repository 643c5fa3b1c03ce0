"""The one look of every table: a bold title, a rule below the heads, no edges; and never wider than
the terminal. Numbers, their units and names are never cut: what does not fit is left out column by
column where the table allows it, or else each row becomes a few lines of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

GAP = 2  # between columns
NARROWEST = 16  # that a column of prose may become before rows are stacked
INDENT = 2
Justify = Literal["left", "right"]


@dataclass(frozen=True)
class Column:
    """`prose` is wrapped between words; anything else stands on one line. Columns with the highest
    `shed` are left out first; those with 0 never."""

    head: str
    justify: Justify = "left"
    prose: bool = False
    shed: int = 0


class FittedTable:
    """Rows and columns, laid out when the width is known. The first `lead` columns name a row."""

    def __init__(self, title: str, lead: int = 1) -> None:
        self.title, self._lead = title, lead
        self.columns: list[Column] = []
        self.rows: list[tuple[list[Text], str]] = []

    def add_column(
        self, head: str, justify: Justify = "left", prose: bool = False, shed: int = 0
    ) -> None:
        self.columns.append(Column(head, justify, prose, shed))

    def add_row(self, *cells: str | Text, style: str = "") -> None:
        """Cells with markup, or as they are; a row may be shorter than the table."""
        texts = [Text.from_markup(cell) if isinstance(cell, str) else cell for cell in cells]
        missing = len(self.columns) - len(texts)
        self.rows.append(([*texts, *[Text()] * missing], style))

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield Text(self.title, style="bold")
        kept = self._fitting(options.max_width)
        if kept is None:
            yield from self._stacked(console, options.max_width)
            return
        yield self._table(kept, options.max_width)
        if left_out := [c.head for n, c in enumerate(self.columns) if n not in kept]:
            said = f"Left out, since {options.max_width} columns are too few: {', '.join(left_out)}"
            yield Text(said, style="dim")

    def _fitting(self, width: int) -> list[int] | None:
        """The columns that are shown; None where the most needed ones do not fit either."""
        kept = list(range(len(self.columns)))
        while self._least(kept) > width:
            shed = max(kept, key=lambda n: (self.columns[n].shed, n), default=0)
            if not kept or not self.columns[shed].shed:
                return None
            kept.remove(shed)
        return kept

    def _least(self, kept: Sequence[int]) -> int:
        return sum(self._narrowest(n) for n in kept) + GAP * (len(kept) - 1)

    def _narrowest(self, n: int) -> int:
        natural = self._natural(n)
        if not self.columns[n].prose:
            return natural
        words = (word for text in self._texts(n) for word in text.plain.split())
        longest = max((Text(word).cell_len for word in words), default=0)
        return max(longest, min(natural, NARROWEST))

    def _natural(self, n: int) -> int:
        return max(text.cell_len for text in self._texts(n))

    def _texts(self, n: int) -> list[Text]:
        return [Text(self.columns[n].head), *(cells[n] for cells, _ in self.rows)]

    def _widths(self, kept: Sequence[int], width: int) -> dict[int, int]:
        """Prose shares what the other columns leave, the shortest served first."""
        widths = {n: self._natural(n) for n in kept if not self.columns[n].prose}
        room = width - sum(widths.values()) - GAP * (len(kept) - 1)
        prose = sorted((n for n in kept if n not in widths), key=self._natural)
        for place, n in enumerate(prose):
            later = sum(map(self._narrowest, prose[place + 1 :]))
            share = max(self._narrowest(n), room // (len(prose) - place))
            widths[n] = min(self._natural(n), share, room - later)
            room -= widths[n]
        return widths

    def _table(self, kept: Sequence[int], width: int) -> Table:
        shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
        widths = self._widths(kept, width)
        for n in kept:
            column = self.columns[n]
            shown.add_column(
                Text(column.head), justify=column.justify, width=widths[n], overflow="fold"
            )
        for cells, style in self.rows:
            shown.add_row(*(cells[n] for n in kept), style=style)
        return shown

    def _stacked(self, console: Console, width: int) -> Iterator[Text]:
        """A row's name on a line of its own; below it, heads and values as many as fit."""
        for cells, style in self.rows:
            name = Text("  ").join(cell for cell in cells[: self._lead] if cell.plain)
            name.stylize(style or "bold")
            yield name
            said = [
                Text.assemble((column.head, "dim"), " " if column.head else "", cell)
                for column, cell in list(zip(self.columns, cells, strict=True))[self._lead :]
                if cell.plain
            ]
            yield from _lines(console, said, width)


def _lines(console: Console, parts: Sequence[Text], width: int) -> Iterator[Text]:
    line = Text()
    for part in parts:
        room = width - INDENT - line.cell_len - 3 * bool(line.plain)
        if line.plain and part.cell_len > room:
            yield _indented(console, line, width)
            line = Text()
        line = Text("   ").join([line, part]) if line.plain else part
    if line.plain:
        yield _indented(console, line, width)


def _indented(console: Console, line: Text, width: int) -> Text:
    """Wrapped between words where one value alone is wider than the terminal."""
    wrapped = line.wrap(console, max(1, width - INDENT), overflow="fold")
    return Text("\n").join(Text(" " * INDENT) + one for one in wrapped)


def table(title: str, lead: int = 1) -> FittedTable:
    """A title is text: brackets in it are brackets."""
    return FittedTable(title, lead)
