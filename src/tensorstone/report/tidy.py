"""Results as one long table: a row for each cell and figure, for whoever analyses them elsewhere.

A cell without any figure (unequal, unsupported …) is one row with its status and no metric, so that
none is lost. An alias repeats the figures of the dialect it is an alias of, and says so.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import astuple, fields

from tensorstone.report.machine import machine_line
from tensorstone.results.codec import plain
from tensorstone.results.comparison import Assembled, Cell
from tensorstone.results.estimate import Estimate
from tensorstone.results.metrics import METRICS, unit
from tensorstone.results.run import RunFacts

if TYPE_CHECKING:
    import polars

RATIO = "ratio"  # to the fastest cell of the run: no metric of a cell by itself
# What Markdown reads as markup: an underscore within a word is none.
_MARKS = re.compile(r"[\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w)")
# In Markdown these are said once, above a run's table.
_OF_THE_RUN = ("run", "uuid", "date", "command", "workload", "batch", "threads", "machine")


class Row(Struct, frozen=True):
    """One figure of one cell."""

    run: int  # its number in this ledger
    uuid: str  # of the run, in any ledger
    date: str  # when the run began, UTC
    command: str
    workload: str
    batch: int
    threads: int
    machine: str
    dialect: str
    framework: str
    version: str
    lane: str
    alias_of: str | None
    status: str
    rank: int | None
    metric: str | None
    value: float | None
    low: float | None
    high: float | None
    kind: str | None  # what low and high are: interval (95 %), range (least and most), exact
    n: int | None
    unit: str | None


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Row))


def rows(results: Sequence[Assembled]) -> Iterator[Row]:
    """Every figure of every cell, runs and cells in the order given."""
    for result in results:
        for cell in result.cells:
            yield from _rows(result.facts, cell)


def frame(results: Sequence[Assembled]) -> polars.DataFrame:
    """The rows as a polars frame, typed even where there are none."""
    import polars

    kinds: dict[Any, Any] = {
        "int": polars.Int64,
        "float": polars.Float64,
        "str": polars.String,
    }
    schema = {
        field.name: kinds[str(Row.__annotations__[field.name]).partition(" ")[0]]
        for field in fields(Row)
    }
    return polars.DataFrame([astuple(row) for row in rows(results)], schema=schema, orient="row")


def as_csv(results: Sequence[Assembled]) -> bytes:
    """Words in quotes, numbers and what is missing without."""
    return frame(results).write_csv(quote_style="non_numeric").encode()


def as_parquet(results: Sequence[Assembled]) -> bytes:
    """One file's content."""
    written = io.BytesIO()
    frame(results).write_parquet(written)
    return written.getvalue()


def as_records(results: Sequence[Assembled]) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [plain(row) for row in rows(results)]


def as_markdown(results: Sequence[Assembled]) -> str:
    """A heading, a line for the machine and a table for each run."""
    return "\n".join(line for result in results for line in _section(result)) + "\n"


def _rows(facts: RunFacts, cell: Cell) -> Iterator[Row]:
    figures: list[tuple[str, str, Estimate]] = [
        (key, unit(key, facts.workload.metric), cell.metrics[key])
        for key in METRICS
        if key in cell.metrics
    ]
    if cell.ratio is not None:
        figures.append((RATIO, "of the fastest", cell.ratio))
    for metric, in_unit, found in figures:
        yield _row(facts, cell, metric, in_unit, found)
    if not figures:
        yield _row(facts, cell, None, None, None)


def _row(
    facts: RunFacts, cell: Cell, metric: str | None, in_unit: str | None, found: Estimate | None
) -> Row:
    return Row(
        run=facts.number,
        uuid=facts.uuid,
        date=_date(facts.started),
        command=facts.command,
        workload=cell.workload,
        batch=facts.workload.batch,
        threads=facts.threads,
        machine=facts.machine.name or facts.machine.hostname,
        dialect=cell.dialect,
        framework=cell.framework,
        version=cell.version,
        lane=cell.lane,
        alias_of=cell.alias_of or None,
        status=cell.status,
        rank=cell.rank,
        metric=metric,
        value=_finite(found.value) if found else None,
        low=_finite(found.low) if found else None,
        high=_finite(found.high) if found else None,
        kind=found.kind if found else None,
        n=found.n if found else None,
        unit=in_unit,
    )


def _section(result: Assembled) -> Iterator[str]:
    facts = result.facts
    title = facts.workload.title or facts.workload.name
    yield f"### {_escaped(title)}: {facts.command}, run {facts.number}"
    yield ""
    yield f"Machine: {_escaped(_machine(facts))}"
    yield ""
    yield (
        f"Measured {_date(facts.started)} by tensorstone "
        f"{_escaped(facts.version or '(an earlier version)')}; workload "
        f"{_escaped(facts.workload.name)}, batch {facts.workload.batch}, "
        f"{facts.threads} thread{'s' * (facts.threads != 1)}; run id {facts.uuid}"
    )
    yield ""
    shown = [row for cell in result.cells for row in _rows(facts, cell)]
    if not shown:
        yield "No cells."
        yield ""
        return
    wanted = [name for name in COLUMNS if name not in _OF_THE_RUN]
    numbers = {"rank", "value", "low", "high", "n"}
    yield f"| {' | '.join(wanted)} |"
    yield f"| {' | '.join('---:' if name in numbers else '---' for name in wanted)} |"
    for row in shown:
        yield f"| {' | '.join(_said(getattr(row, name)) for name in wanted)} |"
    yield ""


def _machine(facts: RunFacts) -> str:
    name = facts.machine.name or facts.machine.hostname
    line = machine_line(facts)
    return f"{name}, {line}, {facts.machine.os}" if name else f"{line}, {facts.machine.os}"


def _said(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else _escaped(str(value))


def _escaped(text: str) -> str:
    """Text that is no markup: `|` would end a table's cell, a new line its row."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split()))


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _finite(number: float | None) -> float | None:
    """Neither CSV nor JSON has an infinity."""
    return number if number is not None and isfinite(number) else None
