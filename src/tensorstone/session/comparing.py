"""The main job: race the programs that were proven equal, rank them, keep everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tensorstone.analysis import deployment_metrics as life_metrics
from tensorstone.analysis import summary
from tensorstone.analysis.background_load import Others, others
from tensorstone.analysis.bootstrap import Estimate
from tensorstone.analysis.drift import habits
from tensorstone.analysis.ranking import Itself, Standing, against_itself, ranking, unkept
from tensorstone.analysis.reloading import reload_level, unequal
from tensorstone.analysis.scores import Scores
from tensorstone.analysis.startup import Overtaking, overtakings, totals
from tensorstone.analysis.summary import Metric
from tensorstone.dialects.measures import code_complexity, code_lines
from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.recorder import Recorder
from tensorstone.models.workload import Workload
from tensorstone.race.group_run import FEWEST_TURNS
from tensorstone.race.plan import Plan, Settings
from tensorstone.race.rounds import Race, race
from tensorstone.results.cell import Cell, cell, slowness
from tensorstone.results.events import Both, Observer
from tensorstone.results.outcome import Outcome
from tensorstone.results.trial import Trial
from tensorstone.session.contestants import contestants, open_cells
from tensorstone.session.entries import Entry
from tensorstone.session.inputs import write_inputs
from tensorstone.support.scratch import scratch


@dataclass(frozen=True)
class Comparison:
    """One workload's race: its cells, and how it was run."""

    workload: Workload
    cells: tuple[Cell, ...]
    rounds: int
    why: str  # it stopped
    run: int  # its number in the ledger
    resumed: int  # trials that an earlier, unfinished run had left
    itself: Itself | None  # what one contestant showed against itself
    others: Others  # on the machine
    overtakings: tuple[Overtaking, ...]  # of those that were ranked
    totals: dict[str, list[Estimate]]  # from nothing to the end of so many steps
    steps: dict[str, dict[int, float]]  # of those that were ranked, by round
    memory_kept: bool  # by the C library, as it was told
    unkept: tuple[str, Estimate] | None  # a contestant, and how much slower it is otherwise


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
    with scratch() as folder:
        plan = _plan(workload, entries, proofs, settings, threads, folder)
        run, earlier = _begin(plan, machine, ledger)
        numbers = open_cells(entries, proofs, ledger, run)
        result = Race((), 0, "nothing was proven equal, so nothing was timed")
        recorder = Recorder(ledger, numbers)
        if plan.contestants:
            try:
                result = race(plan, Both(recorder, observer), earlier)
            except BaseException:
                ledger.finish(run, "interrupted")
                raise
    itself = against_itself(result.trials)
    cells = _cells(entries, proofs, result, itself.margin if itself else 0.0)
    for done in cells:
        outcome = Outcome(done.status, done.reason, done.last_words)  # type: ignore[arg-type]
        ledger.end_cell(numbers[done.dialect], outcome)
        if done.proof is not None:  # reloading may have been added to it
            ledger.keep_proof(numbers[done.dialect], done.proof)
    for name in recorder.cells.keys() - numbers.keys():  # second seats
        again = [trial for trial in result.trials if trial.dialect == name]
        ledger.end_cell(recorder.cells[name], summary.outcome(again))
    ledger.finish(run, note=result.why)
    ranked = [done.dialect for done in sorted(cells, key=slowness) if done.rank]
    return Comparison(
        workload=workload,
        cells=tuple(cells),
        rounds=result.rounds,
        why=result.why,
        run=run,
        resumed=len(earlier),
        itself=itself,
        others=others(result.trials),
        overtakings=tuple(overtakings(result.trials, ranked)),
        totals=totals(result.trials, ranked),
        steps={name: Scores(result.trials).steps(name) for name in ranked},
        memory_kept=settings.memory_kept,
        unkept=unkept(result.trials),
    )


def _plan(
    workload: Workload,
    entries: Sequence[Entry],
    proofs: Mapping[str, Cell],
    settings: Settings,
    threads: int,
    folder: Path,
) -> Plan:
    weights, data = write_inputs(workload, folder)
    kept = settings.memory_kept
    racing = contestants(entries, proofs, weights, data, threads, folder, kept)
    return Plan(workload.name, racing, settings)


def _begin(plan: Plan, machine: Mapping[str, Any], ledger: Ledger) -> tuple[int, list[Trial]]:
    """A new run, or the one that a kill or Ctrl-C left unfinished."""
    run = ledger.resume(plan.digest(), enough_blocks=FEWEST_TURNS)
    if run is not None:
        return run, ledger.trials(run, plan.workload)
    return ledger.begin("compare", plan.digest(), plan.describe(), machine), []


def _cells(
    entries: Sequence[Entry], proofs: Mapping[str, Cell], result: Race, margin: float
) -> list[Cell]:
    cells = [_timed(entry, proofs[entry.dialect.name], result.trials) for entry in entries]
    # `null` does nothing, so it has no place among those that do.
    names = {c.dialect for c in cells if c.ok and c.framework != "null"}
    scores = Scores(result.trials).only(names)
    standings = {standing.name: standing for standing in ranking(scores, margin)}
    return [_placed(done, standings.get(done.dialect)) for done in cells]


def _placed(done: Cell, standing: Standing | None) -> Cell:
    return replace(done, rank=standing.rank, ratio=standing.ratio) if standing else done


def _timed(entry: Entry, proof: Cell, trials: Sequence[Trial]) -> Cell:
    """An entry's cell with all that its trials say; it is ok if every one of them was, and the net
    survived being saved and loaded."""
    mine = [trial for trial in trials if trial.dialect == entry.dialect.name]
    code = _code_metrics(entry)
    if not mine:
        return replace(proof, metrics=code)
    outcome, level = summary.outcome(mine), reload_level(proof.proof, mine)
    batch = entry.workload.recipe.batch
    return cell(
        entry,
        unequal(level) if outcome.ok and level and not level["passed"] else outcome,
        proof={**proof.proof, "reload": level} if proof.proof and level else proof.proof,
        metrics={**summary.metrics(mine), **life_metrics.metrics(mine, batch), **code},
        notes=tuple(_remarks(entry, mine)),
        life=life_metrics.outcome(mine),
    )


def _remarks(entry: Entry, trials: Sequence[Trial]) -> Iterator[str]:
    yield from summary.notes(trials)
    yield from habits(trials)
    yield from life_metrics.absent(trials)
    life = life_metrics.outcome(trials)
    if life and not life.ok:
        yield f"after training: {life.status}: {life.reason}"
    if entry.dialect.note:
        yield entry.dialect.note


def _code_metrics(entry: Entry) -> dict[str, Metric]:
    if not entry.source:
        return {}
    lines, complexity = code_lines(entry.source), code_complexity(entry.source)
    return {
        "code_lines": Metric(lines, lines, lines, "lines", 1),
        "code_complexity": Metric(complexity, complexity, complexity, "decisions", 1),
    }
