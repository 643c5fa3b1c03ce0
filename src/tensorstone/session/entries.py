"""Entries: each dialect on each workload, made ready as far as it can be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorstone.dialects.emit import RoomError, Unsupported, emit
from tensorstone.dialects.registry import Dialect, Framework, lookup
from tensorstone.models.described import weighted_layers
from tensorstone.models.workload import Workload
from tensorstone.results.outcome import OK, Outcome
from tensorstone.runtime.environments.environment import Environment
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.invocation import Invocation
from tensorstone.support.errors import StoneError
from tensorstone.support.progress import Progress


@dataclass(frozen=True)
class Entry:
    """One workload in one dialect: its program and where it runs, or why there is none."""

    workload: Workload
    dialect: Dialect
    framework: Framework
    outcome: Outcome
    environment: Environment | None = None
    source: str = ""

    @property
    def version(self) -> str:
        return self.environment.version if self.environment else self.framework.pin

    @property
    def layers(self) -> list[dict[str, Any]]:
        return weighted_layers(self.workload.model)

    def invocation(self, threads: int, workdir: Path) -> Invocation:
        """How its worker is started with so many threads on as many processors."""
        assert self.environment is not None
        return Invocation(
            python=self.environment.python,
            env=self.framework.variables(threads, self.environment.path),
            cpus=processors()[:threads],
            threads=threads,
            workdir=workdir,
        )


def enter(
    workloads: Sequence[Workload], dialects: Sequence[Dialect], progress: Progress | None = None
) -> list[Entry]:
    """Install what is missing and write every program, workload by workload."""
    places = {name: _place(name, progress) for name in dict.fromkeys(d.framework for d in dialects)}
    return [_entry(w, d, *places[d.framework]) for w in workloads for d in dialects]


def _place(name: str, progress: Progress | None) -> tuple[Environment | None, Outcome]:
    try:
        return ensure(lookup(name), progress), OK
    except StoneError as error:
        return None, Outcome("not-installed", f"{error.message}; {error.hint}")


def _entry(
    workload: Workload, dialect: Dialect, environment: Environment | None, outcome: Outcome
) -> Entry:
    framework = lookup(dialect.framework)
    try:
        source = emit(workload, dialect)
    except Unsupported as reason:
        outcome, source = Outcome("unsupported", str(reason)), ""
    except RoomError as error:
        outcome, source = Outcome("failed", error.message), ""
    return Entry(workload, dialect, framework, outcome, environment, source)


def thread_count(asked: int) -> int:
    """How many threads everyone gets; 0 asks for one for each processor."""
    there = len(processors())
    if asked > there:
        raise StoneError(
            f"{asked} threads were asked for and {there} processors are there",
            f"ask for at most {there}",
        )
    return asked or there


def processors() -> tuple[int, ...]:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))
