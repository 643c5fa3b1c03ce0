"""From entries to contestants: those that were proven, as they are run and as they are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tensorstone.ledger.ledger import Cell as LedgerCell
from tensorstone.ledger.ledger import Ledger
from tensorstone.race.plan import Contestant
from tensorstone.results.cell import Cell
from tensorstone.runtime.gauges import allocator
from tensorstone.runtime.invocation import Invocation
from tensorstone.session.entries import Entry


def contestants(
    entries: Sequence[Entry],
    proofs: Mapping[str, Cell],
    weights: Path,
    data: Path,
    threads: int,
    folder: Path,
    memory_kept: bool = False,
) -> tuple[Contestant, ...]:
    """The entries of one workload whose proof (by dialect) is ok, their programs in the folder."""
    found = []
    for number, entry in enumerate(entries):
        if proofs[entry.dialect.name].ok:
            program = folder / f"program{number}.py"
            program.write_text(entry.source, encoding="utf-8")
            found.append(
                Contestant(
                    dialect=entry.dialect.name,
                    program=program,
                    bridge=entry.framework.bridge,
                    layers=entry.layers,
                    invocation=_invocation(entry, threads, folder, memory_kept),
                    weights=weights,
                    data=data,
                    batch=entry.workload.recipe.batch,
                )
            )
    return tuple(found)


def _invocation(entry: Entry, threads: int, folder: Path, memory_kept: bool) -> Invocation:
    plain = entry.invocation(threads, folder)
    return replace(plain, env={**plain.env, **allocator.variables(memory_kept)})


def open_cells(
    entries: Sequence[Entry], proofs: Mapping[str, Cell], ledger: Ledger, run: int
) -> dict[str, int]:
    """A cell of the run for every entry, proofs kept with them; their numbers by dialect."""
    numbers = {}
    for entry in entries:
        name = entry.dialect.name
        numbers[name] = ledger.open_cell(
            run,
            LedgerCell(
                workload=entry.workload.name,
                dialect=name,
                framework=entry.framework.name,
                version=entry.version,
                lane=entry.dialect.lane,
                lock_hash=entry.environment.fingerprint if entry.environment else "",
                program_hash=hashlib.sha256(entry.source.encode()).hexdigest(),
            ),
        )
        if (proof := proofs[name].proof) is not None:
            ledger.keep_proof(numbers[name], proof)
    return numbers
