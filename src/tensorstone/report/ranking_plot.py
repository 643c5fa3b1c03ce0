"""A ranking as a picture: a dot for each dialect, its interval, everything a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorstone.report.machine import machine_line
from tensorstone.report.picture_text import picture_text
from tensorstone.report.ranking import ranked, told_apart
from tensorstone.results.comparison import Comparison, Training

if TYPE_CHECKING:
    import altair

WIDTH, ROW = 460, 28  # pixels
FAMILY = "Helvetica, Arial, sans-serif"


def ranking_plot(done: Comparison) -> altair.TopLevelMixin | None:
    """Step times with their intervals, the fastest first; None where nothing was timed."""
    import altair as alt

    ranks = told_apart(done.cells)
    rows = [
        {
            "dialect": cell.dialect,
            "ms": step.value * 1e3,
            "low": (step.low or step.value) * 1e3,
            "high": (step.high or step.value) * 1e3,
            "rank": f"rank {cell.rank}" if ranks else "too few rounds for ranks",
            "processes": step.n,
        }
        for cell in ranked(done.cells)
        for step in [cell.metrics["step_s"]]
    ]
    if not rows:
        return None
    names = [str(row["dialect"]) for row in rows]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("dialect:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False)),
        color=alt.Color("rank:N", title="equal ranks are tied", sort=None),
    )
    across = alt.X("ms:Q", title="a training step, ms", scale=alt.Scale(zero=True))
    tips = ["dialect:N", "ms:Q", "low:Q", "high:Q", "processes:Q"]
    picture = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=70, opacity=1).encode(x=across, tooltip=tips),
    ).properties(width=WIDTH, height=alt.Step(ROW))
    return _titled(picture, f"{done.facts.workload.title}: one training step", _about(done, rows))


def curves_plot(done: Training) -> altair.TopLevelMixin | None:
    """The metric against training time, a line a dialect; None where nothing was trained."""
    import altair as alt

    metric = done.facts.workload.metric or "metric"
    rows = [
        {
            "dialect": one.cell.dialect,
            "seconds": point.train_s.value,
            "metric": point.metric.value,
            "low": point.metric.value if point.metric.low is None else point.metric.low,
            "high": point.metric.value if point.metric.high is None else point.metric.high,
            "epoch": point.epoch,
        }
        for one in done.trained
        for point in one.curve
    ]
    if not rows:
        return None
    across = alt.X("seconds:Q", title="training time, s")
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=across, color=alt.Color("dialect:N", title=None)
    )
    held = alt.Y("metric:Q", title=f"{metric} on held-out samples", scale=alt.Scale(zero=False))
    picture = alt.layer(
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_line(point=True).encode(y=held, tooltip=["dialect:N", "epoch:Q", "metric:Q"]),
    ).properties(width=WIDTH, height=300)
    return _titled(picture, f"{done.facts.workload.title}: {metric}", [machine_line(done.facts)])


def _about(done: Comparison, rows: Sequence[dict[str, object]]) -> list[str]:
    counts = sorted({int(str(row["processes"])) for row in rows})
    said = f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else str(counts[0])
    interval = any(row["low"] != row["high"] for row in rows)
    bars = "bars: 95 % confidence intervals over" if interval else "no intervals:"
    return [
        f"batch {done.facts.workload.batch}; {bars} {said} processes",
        machine_line(done.facts),
    ]


def _titled(picture: altair.TopLevelMixin, title: str, below: list[str]) -> altair.TopLevelMixin:
    import altair as alt

    whole: altair.TopLevelMixin = (
        picture.properties(
            title=alt.TitleParams(
                picture_text(title), subtitle=[*map(picture_text, below)], anchor="start"
            )
        )
        .configure(font=FAMILY)
        .configure_view(stroke=None)
    )
    return whole
