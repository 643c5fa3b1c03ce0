"""What comes beside and after the training steps, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.markup import escape

from tensorstone.report.tables import FittedTable, table
from tensorstone.report.units import count, memory, percent, seconds_apart, seconds_together
from tensorstone.results.comparison import Cell

Say = Callable[[Sequence[float]], str]


def _alone(say: Callable[[float], str]) -> Say:
    return lambda values: say(values[0])


# Percentiles are in one unit, the first one's.
_COLUMNS: tuple[tuple[str, tuple[str, ...], Say], ...] = (
    ("saved", ("saved_bytes",), _alone(memory)),
    ("save/load", ("save_s", "load_s"), seconds_apart),
    ("first", ("first_predict_s",), seconds_together),
    (
        "50/95/99 %",
        ("predict_latency_s", "predict_latency_p95_s", "predict_latency_p99_s"),
        seconds_together,
    ),
    ("predict", ("predict_throughput",), _alone(count)),
    ("feed", ("feed_samples_per_s",), _alone(count)),
    ("share", ("feed_share",), _alone(percent)),
)

AFTER = (
    "load: in a fresh process, imports not counted; first: its first prediction. 50/95/99 %: "
    "percentiles of predicting one sample. predict: samples a second, in batches."
)
FEEDING = (
    "feed: samples/s of the loader alone, without training. share: loading time as a part of the "
    "step time."
)


def deployment_table(title: str, cells: Sequence[Cell]) -> FittedTable:
    """The cells in the order they are given; what was measured in none of them has no column."""
    shown = table(title)
    shown.add_column("dialect")
    columns = [column for column in _COLUMNS if any(_said(cell, *column[1:]) for cell in cells)]
    for header, _, _ in columns:
        shown.add_column(header, "right")
    for cell in cells:
        row = [_said(cell, names, say) for _, names, say in columns]
        shown.add_row(escape(cell.dialect), *row)
    return shown


def _said(cell: Cell, names: Sequence[str], say: Say) -> str:
    values = [cell.metrics[name].value for name in names if name in cell.metrics]
    return say(values) if values else ""
