"""The ranking of one workload as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.markup import escape

from tensorstone.analysis.ranking import FEWEST_TO_CLAIM
from tensorstone.report.proofs import badge
from tensorstone.report.tables import FittedTable, Justify, table
from tensorstone.report.units import memory, ratio_between, seconds, seconds_between
from tensorstone.results.comparison import Cell
from tensorstone.results.estimate import Estimate


def ranking_table(title: str, cells: Sequence[Cell]) -> FittedTable:
    """The timed cells, fastest first; ties share a rank."""
    shown = table(title, lead=2)
    for header, justify, shed in _COLUMNS:
        shown.add_column(header, justify, shed=shed)
    ranks = told_apart(cells)
    for cell in ranked(cells):
        rank = str(cell.rank) if ranks else "–"
        shown.add_row(*_row(cell, rank), style="bold" if ranks and cell.rank == 1 else "")
    return shown


def ranked(cells: Sequence[Cell]) -> list[Cell]:
    """Those that were timed to the end, in the order of their rank."""
    timed = [cell for cell in cells if cell.rank is not None]
    return sorted(timed, key=_slowness)


def few_rounds(cells: Sequence[Cell]) -> bool:
    """Whether there were so few that only a factor of two in each of them tells cells apart."""
    return all(cell.metrics["step_s"].n < FEWEST_TO_CLAIM for cell in ranked(cells))


def told_apart(cells: Sequence[Cell]) -> bool:
    """Whether ranks say something: not where too few rounds left everyone in one."""
    ranks = [cell.rank for cell in ranked(cells)]
    return len(ranks) == 1 or not few_rounds(cells) or len(set(ranks)) > 1


# Head, side, and which of them a narrow terminal leaves out first.
_COLUMNS: tuple[tuple[str, Justify, int], ...] = (
    ("rank", "right", 0),
    ("dialect", "left", 0),
    ("step (95 %)", "left", 0),
    ("paired ratio", "left", 0),
    ("first", "right", 1),
    ("memory", "right", 2),
    ("CPU", "right", 3),
    ("lines", "right", 4),
    ("proof", "left", 0),
)


def _row(cell: Cell, rank: str) -> list[str]:
    step = cell.metrics["step_s"]
    ratio = cell.ratio
    return [
        rank,
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
