"""Programs alone: a workload written in dialects, nothing run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tensorstone.dialects.emit import Unsupported, emit, file_name
from tensorstone.dialects.registry import Dialect
from tensorstone.models.workload import Workload
from tensorstone.results.outcome import OK, Outcome


@dataclass(frozen=True)
class Translation:
    """A workload in a dialect: its source, or the reason why there is none."""

    workload: str
    dialect: str
    framework: str
    outcome: Outcome = OK
    source: str | None = None
    file: str = ""  # a good name for it


def translations(workload: Workload, dialects: Sequence[Dialect]) -> list[Translation]:
    """One for each dialect, in order."""
    return [_translation(workload, dialect) for dialect in dialects]


def _translation(workload: Workload, dialect: Dialect) -> Translation:
    names = (workload.name, dialect.name, dialect.framework)
    try:
        source = emit(workload, dialect)
    except Unsupported as reason:
        return Translation(*names, Outcome("unsupported", str(reason)))
    return Translation(*names, source=source, file=file_name(workload, dialect))
