"""A sweep as one picture: what a step costs as the work grows, or as threads are added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.analysis.sweep import sweeps
from tensorstone.report.machine import machine_line
from tensorstone.report.picture_text import picture_text
from tensorstone.report.sweep import base_title, is_line, names
from tensorstone.results.comparison import Comparison

if TYPE_CHECKING:
    import altair

WIDTH, HEIGHT = 460, 300  # of the plotting area, in pixels
FAMILY = "Helvetica, Arial, sans-serif"


def sweep_chart(points: Sequence[Comparison]) -> altair.TopLevelMixin | None:
    """The picture; None where there is nothing to draw."""
    rows = list(_rows(points))
    return _chart(points, rows) if len(points) > 1 and rows else None


def sweep_plot(points: Sequence[Comparison], folder: Path) -> Path | None:
    """The picture's file (SVG); None where there is nothing to draw."""
    chart = sweep_chart(points)
    if chart is None:
        return None
    base = points[0].facts.workload.base
    runs = f"{points[0].facts.number}-{points[-1].facts.number}"
    path = folder / f"{base}-{'batch' if is_line(points) else 'threads'}-{runs}.svg"
    folder.mkdir(parents=True, exist_ok=True)
    chart.save(str(path))
    return path


def _rows(points: Sequence[Comparison]) -> Iterator[dict[str, Any]]:
    """One for each dialect in each race, in milliseconds."""
    for point in points:
        for cell in point.cells:
            if cell.rank is None or "step_s" not in cell.metrics:
                continue
            step = cell.metrics["step_s"]
            yield {
                "dialect": cell.dialect,
                "batch": point.facts.workload.batch,
                "threads": point.facts.threads,
                "ms": step.value * 1e3,
                "low": (step.low or step.value) * 1e3,
                "high": (step.high or step.value) * 1e3,
                "restarts": step.n,
            }


def _chart(points: Sequence[Comparison], rows: list[dict[str, Any]]) -> altair.TopLevelMixin:
    import altair as alt

    across = "batch" if len({row["batch"] for row in rows}) > 1 else "threads"
    x = alt.X(
        f"{across}:Q",
        title="batch size" if across == "batch" else "threads",
        scale=alt.Scale(type="log", base=2, nice=False, padding=20),
        axis=alt.Axis(values=sorted({row[across] for row in rows}), format="d", grid=False),
    )
    y = alt.Y(
        "ms:Q",
        title="a training step, ms",
        scale=alt.Scale(type="log", nice=False, padding=10),
        axis=alt.Axis(format="~g", gridOpacity=0.4),
    )
    colour = alt.Color("dialect:N", title=None, sort=names(points))
    base = alt.Chart().encode(x=x, color=colour)
    picture = alt.layer(
        base.mark_line(strokeWidth=1.5).encode(y=y),
        base.mark_point(filled=True, size=40, opacity=1).encode(y=y),
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        data=alt.InlineData(values=rows),
    ).properties(width=WIDTH, height=HEIGHT)
    both = across == "batch" and len({row["threads"] for row in rows}) > 1
    drawn = picture.facet(column=alt.Column("threads:O")) if both else picture
    title = alt.TitleParams(
        picture_text(f"{base_title(points)}: one training step"),
        subtitle=[
            f"{_counted(rows)}; both axes logarithmic",
            picture_text(machine_line(points[0].facts)),
        ],
        anchor="start",
    )
    whole: altair.TopLevelMixin = (
        drawn.properties(title=title).configure(font=FAMILY).configure_view(stroke=None)
    )
    return whole


def _counted(rows: list[dict[str, Any]]) -> str:
    restarts = sorted({row["restarts"] for row in rows})
    said = f"{restarts[0]} to {restarts[-1]}" if len(restarts) > 1 else str(restarts[0])
    if any(row["low"] < row["high"] for row in rows):
        return f"bars: 95 % intervals over {said} restarts"
    return f"{said} restarts, no intervals"


def sweep_plots(comparisons: Sequence[Comparison], folder: Path) -> list[Path]:
    """A picture for each workload that was raced more than once."""
    drawn = [sweep_plot(points, folder) for points in sweeps(comparisons)]
    return [path for path in drawn if path]
