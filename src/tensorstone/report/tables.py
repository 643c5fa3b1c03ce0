"""The one look of every table: a bold title, a rule below the heads, no edges."""

from __future__ import annotations

from rich import box
from rich.table import Table


def table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
        pad_edge=False,
    )
