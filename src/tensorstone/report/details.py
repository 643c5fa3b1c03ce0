"""What stands behind a result: how it was run, and how each program was proven."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape
from rich.text import Text

from tensorstone.report.machine import machine_line
from tensorstone.report.proofs import NUMBERS, level_text
from tensorstone.report.tables import table
from tensorstone.results.comparison import Assembled, Cell
from tensorstone.results.metrics import METRICS, unit
from tensorstone.results.run import RunRecord
from tensorstone.support.durations import duration


def notes(record: RunRecord, result: Assembled) -> Iterator[RenderableType]:
    """Everything that is said beside a result."""
    facts = record.facts
    yield Text(f"Run {facts.number} ({facts.uuid})", style="bold")
    yield Text(f"  command: {shlex.join(facts.words) if facts.words else facts.command}")
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(facts.started))
    took = f", took {duration(facts.finished - facts.started)}" if facts.finished else ""
    yield Text(f"  began: {began}{took}; {facts.status}{f': {facts.why}' if facts.why else ''}")
    yield Text(f"  tensorstone: {facts.version or 'an earlier version'}")
    yield Text(f"  machine: {facts.machine.name or facts.machine.hostname}, {machine_line(facts)}")
    yield Text(f"  system: {facts.machine.os}, {facts.machine.kernel}, {facts.machine.libc}")
    yield Text(f"  threads: {facts.threads}; settings: {_settings(record)}")
    if facts.resumed:
        yield Text(f"  resumed: {facts.resumed} trials come from an earlier, unfinished attempt")
    for line in record.damaged:
        yield Text(f"  damaged: {line}", style="yellow")
    for cell in record.cells:
        yield Text(f"{cell.dialect}", style="bold")
        yield Text(f"  {cell.framework} {cell.version}, lane {cell.lane}")
        if cell.conditions:
            yield Text(f"  proven and run with {cell.conditions.said()}")
            said = " ".join(f"{name}={value}" for name, value in cell.conditions.variables)
            yield Text(f"  variables: {said or 'none'}")
        if cell.program_sha:
            yield Text(f"  program: {cell.program_sha[:12]} (stone show --program {cell.dialect})")
        if cell.note:
            yield Text(f"  note: {cell.note}")
    for shown in result.cells:
        for note in shown.notes:
            yield Text(f"{shown.dialect}: {note}")
    yield from _metrics(result)


def proofs(result: Assembled) -> Iterator[RenderableType]:
    """Every array's error and bound, the one nearest to its bound first."""
    for cell in result.cells:
        if cell.proof is None:
            yield Text(f"{cell.dialect}: {cell.status}{f': {cell.reason}' if cell.reason else ''}")
            continue
        yield _arrays(cell)
        if cell.proof.conditions:
            yield Text(f"proven with {cell.proof.conditions.said()}")
        if not cell.ok:
            yield Text(cell.reason)
        yield ""


def _arrays(cell: Cell) -> RenderableType:
    assert cell.proof is not None
    shown = table(f"{cell.dialect}: {NUMBERS}")
    for header in ("level", "worst array", "error / tolerance"):
        shown.add_column(header)
    for name, level in cell.proof.levels.items():
        shown.add_row(name, escape(level.worst), level_text(level))
        ordered = sorted(level.arrays.items(), key=lambda item: -item[1].ratio)
        for array, error in ordered:
            if array != level.worst:
                said = f"{_short(error.error)}/{_short(error.bound)}"
                shown.add_row("", escape(array), f"  {said}", style="dim")
    return shown


def _short(number: float | None) -> str:
    return "–" if number is None else f"{number:.0e}".replace("e-0", "e-")


def _settings(record: RunRecord) -> str:
    from tensorstone.results.codec import plain

    said = {k: v for k, v in plain(record.facts.settings).items() if v not in (None, "", "kind")}
    return ", ".join(f"{key}={value}" for key, value in said.items())


def _metrics(result: Assembled) -> Iterator[RenderableType]:
    """All figures of all cells."""
    metric = result.facts.workload.metric
    for cell in result.cells:
        if not cell.metrics:
            continue
        shown = table(f"{cell.dialect}: all figures")
        for header in ("metric", "value", "low", "high", "unit", "n", "kind"):
            shown.add_column(header, "right" if header in ("value", "low", "high", "n") else "left")
        for key in METRICS:
            if key in cell.metrics:
                found = cell.metrics[key]
                ends = ["" if end is None else f"{end:.4g}" for end in (found.low, found.high)]
                kind = found.kind if found.low is not None else ""
                shown.add_row(
                    key, f"{found.value:.4g}", *ends, unit(key, metric), str(found.n), kind
                )
        yield ""
        yield shown
