"""What a comparison would do, before any of it is done: nothing is installed, proven or timed."""

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
    """One cell to be: `will` is time, install and time, or leave out (then with the reason)."""

    workload: str
    dialect: str
    will: str
    reason: str = ""


def planned_cells(workloads: Sequence[Workload], dialects: Sequence[Dialect]) -> list[PlannedCell]:
    """Every cell, workload by workload."""
    places = {name: _place(lookup(name)) for name in dict.fromkeys(d.framework for d in dialects)}
    return [_planned(w, d, *places[d.framework]) for w in workloads for d in dialects]


def _planned(workload: Workload, dialect: Dialect, will: str, reason: str) -> PlannedCell:
    if unsupported := supports(workload, dialect):
        will, reason = "leave out", f"unsupported: {unsupported}"
    return PlannedCell(workload.name, dialect.name, will, reason)


def _place(framework: Framework) -> tuple[str, str]:
    if not framework.python or environment.find(framework):
        return "time", ""
    try:
        interpreters.find(framework.python)
        system.check(framework)
    except StoneError as missing:
        return "leave out", f"not-installed: {missing.message}; {missing.hint}"
    return "install and time", ""
