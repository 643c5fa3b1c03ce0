"""The main job: race the programs that were proven equal, rank them, keep everything."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tensorstone.bench import summary
from tensorstone.bench.observer import Both, Observer
from tensorstone.bench.outcome import Outcome
from tensorstone.bench.plan import Contestant, Plan, Settings
from tensorstone.bench.results import Trial
from tensorstone.bench.rounds import Race, race
from tensorstone.bench.statistics import Standing, ranking
from tensorstone.bench.summary import Metric
from tensorstone.dialects.measures import code_complexity, code_lines
from tensorstone.ledger.ledger import Cell as LedgerCell
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.recorder import Recorder
from tensorstone.models.workload import Workload
from tensorstone.referee.cells import Cell, cell
from tensorstone.referee.entries import Entry
from tensorstone.referee.inputs import write_inputs


@dataclass(frozen=True)
class Comparison:
    """One workload's race: its cells, and how it was run."""

    workload: Workload
    cells: tuple[Cell, ...]
    rounds: int
    why: str  # it stopped
    run: int  # its number in the ledger
    resumed: int  # trials that an earlier, unfinished run had left


def compare(
    entries: Sequence[Entry],
    proofs: Mapping[str, Cell],
    settings: Settings,
    threads: int,
    machine: Mapping[str, Any],
    ledger: Ledger,
    observer: Observer,
) -> Comparison:
    """Race the entries of one workload whose proof (by dialect) is ok."""
    workload = entries[0].workload
    with tempfile.TemporaryDirectory(prefix="stone-") as folder:
        plan = _plan(workload, entries, proofs, settings, threads, Path(folder))
        run, earlier = _begin(plan, machine, ledger)
        numbers = _open_cells(entries, proofs, ledger, run)
        result = Race((), 0, "nothing was proven equal, so nothing was timed")
        if plan.contestants:
            try:
                recorder = Recorder(ledger, numbers)
                result = race(plan, Both(recorder, observer), earlier)
            except BaseException:
                ledger.finish(run, "interrupted")
                raise
    floor = float(machine["noise_floor"] or 0.0)
    cells = _cells(entries, proofs, result, floor)
    for done in cells:
        outcome = Outcome(done.status, done.reason, done.last_words)  # type: ignore[arg-type]
        ledger.end_cell(numbers[done.dialect], outcome)
    ledger.finish(run, note=result.why)
    return Comparison(workload, tuple(cells), result.rounds, result.why, run, len(earlier))


def _plan(
    workload: Workload,
    entries: Sequence[Entry],
    proofs: Mapping[str, Cell],
    settings: Settings,
    threads: int,
    folder: Path,
) -> Plan:
    weights, data = write_inputs(workload, folder)
    contestants = []
    for number, entry in enumerate(entries):
        if proofs[entry.dialect.name].ok:
            program = folder / f"program{number}.py"
            program.write_text(entry.source, encoding="utf-8")
            contestants.append(
                Contestant(
                    dialect=entry.dialect.name,
                    program=program,
                    bridge=entry.framework.bridge,
                    layers=entry.layers,
                    invocation=entry.invocation(threads, folder),
                    weights=weights,
                    data=data,
                    batch=workload.recipe.batch,
                )
            )
    return Plan(workload.name, tuple(contestants), settings)


def _begin(plan: Plan, machine: Mapping[str, Any], ledger: Ledger) -> tuple[int, list[Trial]]:
    """A new run, or the one that a kill or Ctrl-C left unfinished."""
    run = ledger.resume(plan.digest())
    if run is not None:
        return run, ledger.trials(run, plan.workload)
    return ledger.begin("compare", plan.digest(), plan.describe(), machine), []


def _open_cells(
    entries: Sequence[Entry], proofs: Mapping[str, Cell], ledger: Ledger, run: int
) -> dict[str, int]:
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


def _cells(
    entries: Sequence[Entry], proofs: Mapping[str, Cell], result: Race, floor: float
) -> list[Cell]:
    standings = {s.name: s for s in _standings(result.trials, floor)}
    return [
        _timed(entry, proofs[entry.dialect.name], result.trials, standings) for entry in entries
    ]


def _standings(trials: Sequence[Trial], floor: float) -> list[Standing]:
    """Those that came through every trial are ranked; `null` does nothing, so it is not."""
    names = {trial.dialect for trial in trials if not trial.dialect.startswith("null/")}
    whole = {n for n in names if all(t.outcome.ok for t in trials if t.dialect == n)}
    return ranking({n: v for n, v in summary.by_round(trials).items() if n in whole}, floor)


def _timed(
    entry: Entry, proof: Cell, trials: Sequence[Trial], standings: Mapping[str, Standing]
) -> Cell:
    mine = [trial for trial in trials if trial.dialect == entry.dialect.name]
    code = _code_metrics(entry)
    if not mine:
        return replace(proof, metrics=code)
    standing = standings.get(entry.dialect.name)
    remarks = [*summary.notes(mine), *([entry.dialect.note] if entry.dialect.note else [])]
    return cell(
        entry,
        summary.outcome(mine),
        proof=proof.proof,
        metrics={**summary.metrics(mine), **code},
        rank=standing.rank if standing else None,
        ratio=standing.ratio if standing else None,
        notes=tuple(remarks),
    )


def _code_metrics(entry: Entry) -> dict[str, Metric]:
    if not entry.source:
        return {}
    lines, complexity = code_lines(entry.source), code_complexity(entry.source)
    return {
        "code_lines": Metric(lines, lines, lines, "lines", 1),
        "code_complexity": Metric(complexity, complexity, complexity, "decisions", 1),
    }
