"""A sweep as one table: how the cost of a step grows with the batch, or falls with threads."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from tensorstone.analysis.fit import Fit
from tensorstone.analysis.sweep import fits
from tensorstone.report.tables import FittedTable, table
from tensorstone.report.units import seconds
from tensorstone.results.comparison import Cell, Comparison

LINE = (
    "fixed: the part of a step's time that does not depend on the batch. a sample: the time each "
    "sample adds. off: the largest relative distance of a measured point from this line; above a "
    "few per cent the times do not follow a line."
)

NO_LINE = "No line is fitted to the batch sizes: that takes three rounds of each race."


def line_said(points: Sequence[Comparison]) -> str:
    """What is said below the table of a sweep over batch sizes."""
    return LINE if any(fits(points, name) for name in names(points)) else NO_LINE


def sweep_table(points: Sequence[Comparison]) -> FittedTable:
    """A row for each dialect, a column for each race; the fastest of each column is bold."""
    shown = table(f"{base_title(points)}: one training step")
    shown.add_column("dialect")
    for point in points:
        shown.add_column(_head(point, points), "right")
    lines = {name: fits(points, name) for name in names(points)} if is_line(points) else {}
    for head in ("fixed", "a sample", "off") if any(lines.values()) else ():
        shown.add_column(head, "right")
    for name in names(points):
        cells = [_cell(point, name) for point in points]
        line = lines.get(name)
        shown.add_row(escape(name), *map(_step, cells), *(_line(line) if line else ()))
    return shown


def base_title(points: Sequence[Comparison]) -> str:
    return points[0].facts.workload.title


def names(points: Sequence[Comparison]) -> list[str]:
    """Everyone that was timed in any race, as they come."""
    found = [cell.dialect for p in points for cell in p.cells if cell.rank is not None]
    return list(dict.fromkeys(found))


def is_line(points: Sequence[Comparison]) -> bool:
    """Whether the batch alone grows."""
    return len({point.facts.threads for point in points}) == 1 and len(points) > 1


def _head(point: Comparison, points: Sequence[Comparison]) -> str:
    batches = len({p.facts.workload.batch for p in points}) > 1
    threads = len({p.facts.threads for p in points}) > 1
    said = [f"batch {point.facts.workload.batch}"] * batches
    count = point.facts.threads
    return ", ".join([*said, *[f"{count} thread{'s' * (count > 1)}"] * threads])


def _cell(point: Comparison, name: str) -> Cell:
    return next(cell for cell in point.cells if cell.dialect == name)


def _step(cell: Cell) -> str:
    if "step_s" not in cell.metrics:
        return cell.status
    said = seconds(cell.metrics["step_s"].value)
    return f"[bold]{said}[/]" if cell.rank == 1 else said


def _line(line: Fit) -> tuple[str, str, str]:
    off = f"{100 * line.worst:.1f} %"
    return seconds(line.fixed_s.value), seconds(line.per_sample_s.value), off
