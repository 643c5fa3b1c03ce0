"""What a comparison or a training would do: nothing is installed, proven, timed or trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.dialects.emit import supports
from tensorstone.dialects.registry import Dialect, Framework, lookup
from tensorstone.models.workload import Workload
from tensorstone.runtime.environments import environment, interpreters, system
from tensorstone.support.errors import StoneError


@dataclass(frozen=True)
class PlannedCell:
    """One cell to be: `will` is time (or train), install and time, or leave out (then with the
    reason)."""

    workload: str
    dialect: str
    will: str
    reason: str = ""


def planned_cells(
    workloads: Sequence[Workload], dialects: Sequence[Dialect], work: str = "time"
) -> list[PlannedCell]:
    """Every cell, workload by workload; `work` is what would be done to it."""
    places = {
        name: _place(lookup(name), work) for name in dict.fromkeys(d.framework for d in dialects)
    }
    return [_planned(w, d, *places[d.framework]) for w in workloads for d in dialects]


def missing_data(workloads: Sequence[Workload]) -> list[str]:
    """The real data sets that are not on this machine, or that there are none of."""
    from tensorstone.data.real import available

    found = (workload.data.name for workload in workloads if not available(workload))
    return list(dict.fromkeys(found))


def _planned(workload: Workload, dialect: Dialect, will: str, reason: str) -> PlannedCell:
    if unsupported := supports(workload, dialect):
        will, reason = "leave out", f"unsupported: {unsupported}"
    return PlannedCell(workload.name, dialect.name, will, reason)


def _place(framework: Framework, work: str) -> tuple[str, str]:
    if not framework.python or environment.find(framework):
        return work, ""
    try:
        interpreters.find(framework.python)
        system.check(framework)
    except StoneError as missing:
        return "leave out", f"not-installed: {missing.message}; {missing.hint}"
    return f"install and {work}", ""
