"""Rows of the same keys as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorstone.report.tables import FittedTable

Row = dict[str, Any]
PROSE = ("meaning", "reason", "title", "what")  # wrapped where the terminal is narrow
SHED = {
    "bytes": 1,
    "optimiser": 1,
    "version": 1,
    "installed": 2,
}  # and left out where it is narrower still


def table_of(title: str, rows: list[Row]) -> FittedTable:
    """Rows with the same keys, which head the columns."""
    from rich.text import Text

    from tensorstone.report.tables import table

    shown = table(title)
    for key, value in rows[0].items():
        prose = key in PROSE or isinstance(value, list)
        shown.add_column(key, "right" if type(value) is int else "left", prose, SHED.get(key, 0))
    for row in rows:
        # As it is: a meaning may hold brackets, and nothing is read twice.
        shown.add_row(*(Text(_said(value)) for value in row.values()))
    return shown


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
