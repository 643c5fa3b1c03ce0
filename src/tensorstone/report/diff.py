"""Two runs beside each other: a row for each cell, and what was changed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tensorstone.report.as_json import estimate_json
from tensorstone.report.tables import FittedTable, table
from tensorstone.report.units import ratio_between, seconds
from tensorstone.results.codec import plain
from tensorstone.results.difference import BetweenRuns, CellDifference, Change, Difference
from tensorstone.results.run import RunFacts

STYLES = {"faster": "green", "slower": "red"}
SHOWN = 6  # changes of a cell that are said; all are in --json


def difference_parts(found: Difference, text: bool = False) -> Iterator[RenderableType]:
    """The table, what was changed, and what the intervals are made of; `text`: the programs' diffs
    too."""
    yield _table(found)
    yield ""
    if found.changes:
        yield Text(f"changed between the runs: {_listed(found.changes, len(found.changes))}.")
    else:
        yield Text("changed between the runs: no known package, setting or machine property.")
    for cell in found.cells:
        if said := _changes(cell):
            yield Text(f"{cell.dialect}: {said}.")
    yield from map(Text, _explained(found))
    if text:
        yield from _texts(found)


def difference_json(found: Difference, text: bool = False) -> dict[str, Any]:
    """For `--json`: as the table, with all changes."""
    return {
        "old": _run(found.old),
        "new": _run(found.new),
        "changes": plain(found.changes),
        "cells": [_cell_json(cell, text) for cell in found.cells],
    }


def verdict(cell: CellDifference) -> str:
    """One word or two for a cell."""
    if cell.ratio is None:
        return "" if cell.old_status == cell.new_status else "outcome changed"
    if not cell.differs:
        return "no difference shown"
    return "slower" if cell.ratio.value > 1 else "faster"


def _table(found: Difference) -> FittedTable:
    old, new = found.old, found.new
    shown = table(f"{new.workload.title or new.workload.name}: one training step, run {new.number}"
                  f" ({_when(new)}) against run {old.number} ({_when(old)})")  # fmt: skip
    shown.add_column("dialect")
    for facts in (old, new):
        shown.add_column(f"run {facts.number}", "right")
    for header in ("ratio (95 %)", ""):
        shown.add_column(header)
    for cell in found.cells:
        said = verdict(cell)
        shown.add_row(
            Text(cell.dialect),
            Text(_side(cell.old_s, cell.old_status)),
            Text(_side(cell.new_s, cell.new_status)),
            Text(_ratio(cell)),
            Text(said, style=STYLES.get(said, "dim")),
        )
    return shown


def _side(step_s: float | None, status: str | None) -> str:
    if step_s is not None:
        return seconds(step_s)
    return status or "not there"


def _ratio(cell: CellDifference) -> str:
    ratio = cell.ratio
    return "" if ratio is None else ratio_between(ratio.value, ratio.low, ratio.high)


def _when(facts: RunFacts) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(facts.started))


def _changes(cell: CellDifference) -> str:
    parts = [_listed(cell.changes, SHOWN)] if cell.changes else []
    if cell.text:
        parts.append(f"program +{cell.added} −{cell.removed} lines (--text shows them)")
    return "; ".join(parts)


def _listed(changes: Sequence[Change], most: int) -> str:
    said = [f"{one.what} {one.old or '(none)'} → {one.new or '(none)'}" for one in changes[:most]]
    if len(changes) > most:
        said.append(f"{len(changes) - most} more (--json names them)")
    return "; ".join(said)


def _explained(found: Difference) -> Iterator[str]:
    timed = [cell for cell in found.cells if cell.ratio is not None]
    if not timed:
        yield "No cell was timed in both runs."
        return
    yield (
        f"ratio: run {found.new.number} / run {found.old.number}, step times over all rounds of "
        "each run (not paired, disturbed turns left out); the interval includes the variation "
        "between runs."
    )
    yield from _variation([cell.between for cell in timed if cell.between])
    fewest = min(min(cell.old_rounds, cell.new_rounds) for cell in timed)
    if fewest < 4:
        yield (
            f"One run has only {fewest} round{'s' * (fewest != 1)}: with fewer than 4, only a "
            "factor of two counts as a difference."
        )


def _variation(found: Sequence[BetweenRuns]) -> Iterator[str]:
    """One line for each way it was found, with the least and the most of all cells."""
    for source in dict.fromkeys(one.source for one in found):
        same = [one for one in found if one.source == source]
        sizes = sorted({f"{100 * one.value:.2g}" for one in same}, key=float)
        size = f"{sizes[0]} %" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} %"
        yield f"Variation between runs: {size}{_source(same[0])}"


def _source(between: BetweenRuns) -> str:
    match between.source:
        case "unchanged-cells":
            return f", from {between.cells} other cells in which nothing changed."
        case "noise-floor":
            return ", from equal programs within each run; over hours it may be larger."
        case "assumed":
            return " (assumed: the noise floor is unknown; to measure it, run: stone doctor)."


def _texts(found: Difference) -> Iterator[RenderableType]:
    from rich.syntax import Syntax

    for cell in found.cells:
        if cell.text:
            yield ""
            yield Syntax("\n".join(cell.text), "diff", background_color="default")


def _run(facts: RunFacts) -> dict[str, Any]:
    return {
        "run": facts.number,
        "uuid": facts.uuid,
        "command": facts.command,
        "workload": facts.workload.name,
        "batch": facts.workload.batch,
        "threads": facts.threads,
        "machine": facts.machine.name,
        "version": facts.version,
        "started": facts.started,
        "noise_floor": facts.noise_floor,
    }


def _cell_json(cell: CellDifference, text: bool) -> dict[str, Any]:
    said = {
        "dialect": cell.dialect,
        "old": {"status": cell.old_status, "step_s": cell.old_s, "rounds": cell.old_rounds},
        "new": {"status": cell.new_status, "step_s": cell.new_s, "rounds": cell.new_rounds},
        "ratio": cell.ratio and estimate_json(cell.ratio),
        "differs": cell.differs,
        "between_runs": plain(cell.between),
        "unchanged": cell.unchanged,
        "changes": plain(cell.changes),
        "program": {"added": cell.added, "removed": cell.removed},
    }
    return {**said, "text": list(cell.text)} if text else said
