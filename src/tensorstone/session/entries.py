"""Entries: each dialect on each workload, made ready as far as it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tensorstone.dialects.emit import RoomError, SameProgram, Unsupported, emit
from tensorstone.dialects.measures import code_complexity, code_lines
from tensorstone.dialects.registry import Dialect, Framework, dialects, lookup
from tensorstone.models.described import weighted_layers
from tensorstone.models.workload import Workload
from tensorstone.models.written import sha as workload_sha
from tensorstone.results.conditions import Conditions
from tensorstone.results.outcome import OK, Outcome
from tensorstone.results.program import Program, sha
from tensorstone.results.proof import Proof
from tensorstone.results.run import CellRecord
from tensorstone.runtime.environments.environment import Environment
from tensorstone.runtime.environments.install import ensure
from tensorstone.runtime.gauges import allocator
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.machine import affinity, this_machine
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
    program: Program | None = None
    speaks: Dialect | None = None  # the dialect that the program is of, where it is another's
    alias_of: str = ""  # another entry's dialect, whose program this one's would be
    note: str = ""

    @property
    def version(self) -> str:
        return self.environment.version if self.environment else self.framework.pin

    @property
    def read_as(self) -> Dialect:
        """How the program's losses and outputs are read."""
        return self.speaks or self.dialect

    @property
    def layers(self) -> list[dict[str, Any]]:
        return weighted_layers(self.workload.model)

    @property
    def ready(self) -> bool:
        """Whether there is something to prove."""
        return self.outcome.ok and self.program is not None and self.environment is not None

    def conditions(self, threads: int, memory_kept: bool) -> Conditions:
        """What it runs under, as far as that can change numbers."""
        assert self.environment is not None
        place = self.environment
        return Conditions(
            environment=f"{place.fingerprint} {place.python} {place.python_version}",
            variables=tuple(sorted(self.variables(threads, memory_kept).items())),
            threads=threads,
            allocator="kept" if memory_kept else "default",
            processor=this_machine().cpu,
        )

    def variables(self, threads: int, memory_kept: bool) -> dict[str, str]:
        assert self.environment is not None
        own = self.framework.variables(threads, self.environment.path)
        return {**own, **allocator.variables(memory_kept)}

    def invocation(
        self, threads: int, workdir: Path, memory_kept: bool = False, first: int = 0
    ) -> Invocation:
        """How its worker is started with so many threads on as many processors, counted from the
        `first`."""
        assert self.environment is not None
        there = processors()
        return Invocation(
            python=self.environment.python,
            env=self.variables(threads, memory_kept),
            cpus=tuple(sorted(there[(first + n) % len(there)] for n in range(threads))),
            threads=threads,
            workdir=workdir,
        )

    def record(
        self, conditions: Conditions | None, proof: Proof | None, outcome: Outcome | None
    ) -> CellRecord:
        """As the ledger keeps it: an outcome is given where it ended before any trial."""
        return CellRecord(
            dialect=self.dialect.name,
            framework=self.framework.name,
            version=self.version,
            lane=self.dialect.lane,
            outcome=outcome,
            program_sha=self.program.sha if self.program else "",
            conditions=conditions,
            packages=dict(self.environment.packages) if self.environment else {},
            proof=proof,
            alias_of=self.alias_of,
            known_defect=bool(
                proof
                and proof.outcome.status == "unequal"
                and proof.diagnosis == self.dialect.defect
            ),
            note="; ".join(filter(None, (self.dialect.note, self.note))),
        )


def enter(
    workloads: Sequence[Workload], chosen: Sequence[Dialect], progress: Progress | None = None
) -> list[Entry]:
    """Install what is missing and write every program, workload by workload."""
    places = {name: _place(name, progress) for name in dict.fromkeys(d.framework for d in chosen)}
    names = {dialect.name for dialect in chosen}
    return [_entry(w, d, names, *places[d.framework]) for w in workloads for d in chosen]


def _place(name: str, progress: Progress | None) -> tuple[Environment | None, Outcome]:
    try:
        return ensure(lookup(name), progress), OK
    except StoneError as error:
        return None, Outcome("not-installed", f"{error.message}; {error.hint}")


def _entry(
    workload: Workload,
    dialect: Dialect,
    chosen: set[str],
    environment: Environment | None,
    outcome: Outcome,
) -> Entry:
    entry = Entry(workload, dialect, lookup(dialect.framework), outcome, environment)
    try:
        return replace(entry, program=written(workload, dialect))
    except SameProgram as same:
        # Once is enough where both are asked for; alone it is the other's program under its name.
        if same.dialect in chosen:
            return replace(entry, alias_of=same.dialect, note=str(same))
        speaks = dialects()[same.dialect]
        return replace(entry, program=written(workload, speaks), speaks=speaks, note=str(same))
    except Unsupported as reason:
        return replace(entry, outcome=Outcome("unsupported", str(reason)))
    except RoomError as error:
        return replace(entry, outcome=Outcome("failed", error.message))


def written(workload: Workload, dialect: Dialect) -> Program:
    """The program of a workload in a dialect. Raises `Unsupported` or `RoomError`."""
    text = emit(workload, dialect)
    return Program(
        text,
        sha(text),
        workload_sha(workload),
        dialect.name,
        code_lines(text),
        code_complexity(text),
    )


def thread_count(asked: int) -> int:
    """How many threads everyone gets; 0 asks for one for each processor."""
    there = len(processors())
    if asked > there:
        raise StoneError(
            f"{asked} threads were asked for, but only {there} processors are available",
            f"ask for at most {there}",
        )
    return asked or there


def processors() -> tuple[int, ...]:
    """The processors this process may use."""
    return affinity()
