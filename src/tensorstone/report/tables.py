"""The one look of every table: a bold title, a rule below the heads, no edges."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text


def table(title: str) -> Table:
    """A title is text: brackets in it are brackets."""
    return Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
        pad_edge=False,
    )
