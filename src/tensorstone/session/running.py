"""A run in the ledger: begun or taken up again, its cells opened, ended whatever happens."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tensorstone.ledger import reading
from tensorstone.ledger.ledger import Ledger
from tensorstone.results.comparison import Assembled
from tensorstone.results.machine import Machine
from tensorstone.results.run import Command, RunFacts, WorkloadFacts
from tensorstone.results.settings import Settings
from tensorstone.results.trial import Trial
from tensorstone.runtime.machine import this_machine
from tensorstone.session.assembled_cache import assembled
from tensorstone.support.folders import data_dir
from tensorstone.support.version import VERSION

if TYPE_CHECKING:  # who only reads the ledger needs neither NumPy nor the models
    from tensorstone.models.workload import Workload
    from tensorstone.session.proving import Proven


def open_ledger(path: Path | None = None) -> Ledger:
    """The person's ledger, or another. One that a newer tensorstone wrote is refused here, before
    any work."""
    return Ledger(path or data_dir() / "ledger.sqlite")


@dataclass(frozen=True)
class Series:
    """One command's runs: they share an id, the command line and the machine."""

    ledger: Ledger
    command: Command
    words: tuple[str, ...] = ()
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    machine: Machine = field(default_factory=this_machine)
    began: float = field(default_factory=time.time)

    def facts(
        self,
        workload: WorkloadFacts,
        settings: Settings,
        threads: int,
        noise_floor: float | None,
        started: float | None = None,
    ) -> RunFacts:
        """A run of the series, starting now unless it was done before it could be kept."""
        return RunFacts(
            number=0,
            uuid=uuid.uuid4().hex,
            series=self.id,
            command=self.command,
            workload=workload,
            settings=settings,
            machine=self.machine,
            started=time.time() if started is None else started,
            words=self.words or tuple(sys.argv),
            version=VERSION,
            threads=threads,
            noise_floor=noise_floor,
        )


def workload_facts(workload: Workload, base: Workload | None = None) -> WorkloadFacts:
    """What the ledger keeps of a workload: all of it."""
    from tensorstone.models.written import sha, to_data

    return WorkloadFacts(
        name=workload.name,
        title=workload.title,
        batch=workload.recipe.batch,
        metric=workload.recipe.metric,
        parameters=workload.model.parameters,
        dataset=workload.data.name,
        base=(base or workload).name,
        sha=sha(workload),
        data=to_data(workload),
    )


@dataclass
class OpenRun:
    """A run under way."""

    ledger: Ledger
    number: int
    earlier: tuple[Trial, ...]  # that an unfinished attempt had left
    cells: Mapping[str, int]  # by dialect
    why: str = ""

    def assembled(self) -> Assembled:
        return assembled(self.ledger, self.number)


@contextmanager
def running(
    ledger: Ledger,
    facts: RunFacts,
    proven: Sequence[Proven],
    plan_hash: str = "",
    plan: str = "{}",
    enough_blocks: int | None = None,
    ended: bool = False,
) -> Iterator[OpenRun]:
    """A new run, or the one that a kill or Ctrl-C left unfinished. `ended`: nothing comes after the
    proofs."""
    number = ledger.resume(plan_hash, enough_blocks) if plan_hash else None
    earlier: tuple[Trial, ...] = ()
    if number is None:
        number = ledger.begin(facts, plan_hash, plan)
    else:
        ledger.restate(number, facts)
        earlier = reading.record_to_resume(ledger, number).trials
        ledger.keep_resumed(number, len(earlier))
    try:
        cells = {}
        for one in proven:
            if one.entry.program is not None:
                ledger.keep_program(one.entry.program)
            record = one.ended_record if ended else one.record
            cells[record.dialect] = ledger.open_cell(number, facts.workload.name, record)
        run = OpenRun(ledger, number, earlier, cells)
        yield run
    except BaseException:
        ledger.finish(number, "interrupted")
        raise
    ledger.finish(number, note=run.why)
    for cell in run.assembled().cells:
        if cell.dialect in cells:  # so that who reads the tables themselves sees the outcome too
            ledger.end_cell(cells[cell.dialect], cell.outcome)
