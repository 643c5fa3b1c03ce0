"""The runs of a ledger, a line each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from tensorstone.report.tables import FittedTable, Justify, table
from tensorstone.results.run import Summary
from tensorstone.support.durations import duration


def runs_table(found: Sequence[Summary]) -> FittedTable:
    shown = table("runs, the latest first")
    for header, justify in _COLUMNS:
        shown.add_column(header, justify, header == "dialects", SHED.get(header, 0))
    for one in found:
        shown.add_row(*map(Text, _row(one)))
    return shown


# What is left out first where the terminal is narrow.
SHED = {"id": 2, "took": 1}
_COLUMNS: tuple[tuple[str, Justify], ...] = (
    ("run", "right"),
    ("id", "left"),
    ("when", "left"),
    ("took", "right"),
    ("command", "left"),
    ("workload", "left"),
    ("status", "left"),
    ("dialects", "left"),
)


def _row(one: Summary) -> tuple[str, ...]:
    facts = one.facts
    took = duration(facts.finished - facts.started) if facts.finished else ""
    return (
        str(facts.number),
        facts.uuid[:8],
        time.strftime("%Y-%m-%d %H:%M", time.localtime(facts.started)),
        took,
        facts.command,
        facts.workload.name,
        facts.status,
        _dialects(one.dialects),
    )


def _dialects(names: Sequence[str]) -> str:
    if len(names) <= 3:
        return ", ".join(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def runs_json(found: Sequence[Summary]) -> list[dict[str, Any]]:
    return [
        {
            "run": one.facts.number,
            "uuid": one.facts.uuid,
            "series": one.facts.series,
            "command": one.facts.command,
            "words": list(one.facts.words),
            "workload": one.facts.workload.name,
            "status": one.facts.status,
            "started": one.facts.started,
            "finished": one.facts.finished,
            "machine": one.facts.machine.name,
            "version": one.facts.version,
            "dialects": list(one.dialects),
            "ok": one.ok,
            "trials": one.trials,
        }
        for one in found
    ]
