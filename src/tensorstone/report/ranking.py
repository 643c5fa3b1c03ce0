"""The ranking of one workload as a table that fits 100 columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.markup import escape
from rich.table import Table

from tensorstone.report.proofs import badge
from tensorstone.report.tables import table
from tensorstone.report.units import memory, ratio_between, seconds, seconds_between
from tensorstone.results.comparison import Cell
from tensorstone.results.estimate import Estimate


def ranking_table(title: str, cells: Sequence[Cell]) -> Table:
    """The timed cells, fastest first; ties share a rank."""
    shown = table(title)
    for header, justify in _COLUMNS:
        shown.add_column(header, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for cell in ranked(cells):
        shown.add_row(*_row(cell), style="" if cell.rank != 1 else "bold")
    return shown


def ranked(cells: Sequence[Cell]) -> list[Cell]:
    """Those that were timed to the end, in the order of their rank."""
    timed = [cell for cell in cells if cell.rank is not None]
    return sorted(timed, key=_slowness)


_COLUMNS = (
    ("rank", "right"),
    ("dialect", "left"),
    ("step (95 %)", "left"),
    ("ratio", "left"),
    ("first", "right"),
    ("memory", "right"),
    ("CPU", "right"),
    ("lines", "right"),
    ("proof", "left"),
)


def _row(cell: Cell) -> list[str]:
    step = cell.metrics["step_s"]
    ratio = cell.ratio
    return [
        f"{cell.rank}",
        escape(cell.dialect),
        seconds_between(step.value, step.low, step.high),
        ratio_between(ratio.value, ratio.low, ratio.high) if ratio else "",
        _said(cell.metrics.get("cold_first_step_s"), seconds),
        _said(cell.metrics.get("peak_rss_bytes"), memory),
        _said(cell.metrics.get("cpu_use"), "{:.1f}".format),
        _said(cell.metrics.get("code_lines"), "{:.0f}".format),
        badge(cell),
    ]


def _said(found: Estimate | None, say: Callable[[float], str]) -> str:
    return say(found.value) if found else ""


def _slowness(cell: Cell) -> tuple[int, float]:
    return cell.rank or 0, cell.ratio.value if cell.ratio else 0.0
