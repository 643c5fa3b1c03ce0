"""From a run's record to what is shown of it: right after the run and a year later alike. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from tensorstone.analysis import controls, messages, ranking, startup, summary
from tensorstone.analysis.background_load import background_load
from tensorstone.analysis.drift import drifts
from tensorstone.analysis.reloading import reload_level, unequal
from tensorstone.analysis.scores import Scores
from tensorstone.analysis.trained import judged_together, trained, with_level
from tensorstone.results.comparison import (
    Assembled,
    Cell,
    Comparison,
    Examination,
    Pair,
    Proofs,
    Training,
)
from tensorstone.results.estimate import Estimate, exact
from tensorstone.results.outcome import Outcome
from tensorstone.results.run import CellRecord, RunRecord
from tensorstone.results.settings import TrainingSettings
from tensorstone.results.trial import Trial

UNFINISHED = Outcome("failed", messages.UNFINISHED)


def assemble(record: RunRecord) -> Assembled:
    """What a run of any command came to."""
    match record.facts.command:
        case "compare":
            return comparison(record)
        case "train":
            return training(record)
        case "prove":
            return Proofs(record.facts, tuple(_aliased([proven(record, c) for c in record.cells])))
        case "doctor":
            return Examination(record.facts, record.findings, record.noise)


def comparison(record: RunRecord) -> Comparison:
    """A race: its cells, ranked, and what is said beside them."""
    trials, scores = record.trials, Scores(record.trials)
    control = controls.aa_control(scores)
    margin = control.margin if control else 0.0
    cells = [_timed(record, cell) for cell in record.cells]
    # `null` does nothing, so it has no place among those that do.
    names = {cell.dialect for cell in cells if cell.ok and cell.framework != "null"}
    ranked = scores.only(names)
    standings = ranking.ranking(ranked, margin)
    placed = {standing.name: standing for standing in standings}
    cells = [
        replace(cell, rank=placed[cell.dialect].rank, ratio=placed[cell.dialect].ratio)
        if cell.dialect in placed
        else cell
        for cell in cells
    ]
    order = [standing.name for standing in sorted(standings, key=lambda s: (s.rank, _slow(s)))]
    spent = {name: startup.costs(trials, scores, name) for name in order}
    return Comparison(
        facts=record.facts,
        cells=tuple(_aliased(cells)),
        rounds=max((trial.round for trial in trials), default=0),
        control=control,
        background=background_load(trials),
        overtakings=tuple(startup.overtakings(spent)),
        totals=startup.totals(spent),
        steps={name: scores.steps(name) for name in order},
        pairs=tuple(_pairs(ranked, order, margin)),
        allocator_effect=controls.allocator_effect(scores),
        damaged=len(record.damaged),
    )


def training(record: RunRecord) -> Training:
    """Whole trainings: curves, and whether dialects agree within the spread of seeds."""
    facts = record.facts
    assert isinstance(facts.settings, TrainingSettings)
    cells = [
        trained(proven(record, cell), _of(record.trials, cell.dialect), facts.workload, cell.note)
        for cell in record.cells
    ]
    together = judged_together(cells, facts.workload.metric, facts.settings)
    done = [replace(one, cell=cell) for one, cell in zip(
        together.trained, _aliased([one.cell for one in together.trained]), strict=True
    )]  # fmt: skip
    damaged = len(record.damaged)
    return Training(facts, tuple(done), together.target, together.unbeaten_by, damaged)


def proven(record: RunRecord, cell: CellRecord) -> Cell:
    """A cell as its proof left it, or as it ended before."""
    outcome = cell.outcome or (cell.proof.outcome if cell.proof else UNFINISHED)
    return Cell(
        workload=record.facts.workload.name,
        dialect=cell.dialect,
        framework=cell.framework,
        version=cell.version,
        lane=cell.lane,
        outcome=outcome,
        # What never ran has no proof, only an outcome.
        proof=cell.proof if cell.proof and cell.proof.levels else None,
        known_defect=cell.known_defect,
        alias_of=cell.alias_of,
    )


def code_metrics(record: RunRecord, cell: CellRecord) -> dict[str, Estimate]:
    """What can be read off the program's text."""
    program = record.programs.get(cell.program_sha)
    if program is None or not program.lines:
        return {}
    return {"code_lines": exact(program.lines), "code_complexity": exact(program.complexity)}


def _timed(record: RunRecord, cell: CellRecord) -> Cell:
    """An entry's cell with all that its trials say; it is ok if every one of them was, and the net
    survived being saved and loaded."""
    before, mine = proven(record, cell), _of(record.trials, cell.dialect)
    code = code_metrics(record, cell)
    if not mine:
        missing = before.ok and record.facts.status != "finished"
        return replace(before, metrics=code, outcome=UNFINISHED if missing else before.outcome)
    outcome, level = summary.outcome(mine), reload_level(before.proof, mine)
    if outcome.ok and level and not level.passed:
        outcome = unequal(level)
    return replace(
        with_level(before, "reload", level),
        outcome=outcome,
        metrics={**summary.metrics(mine, record.facts.workload.batch), **code},
        notes=tuple(_remarks(cell, mine)),
        deployment=summary.deployment_outcome(mine),
    )


def _remarks(cell: CellRecord, trials: Sequence[Trial]) -> Iterator[str]:
    yield from summary.notes(trials)
    yield from drifts(trials)
    yield from summary.absent(trials)
    deployed = summary.deployment_outcome(trials)
    if deployed and not deployed.ok:
        yield messages.after_training(deployed.status, deployed.reason)
    if cell.note:
        yield cell.note


def _of(trials: Sequence[Trial], dialect: str) -> list[Trial]:
    return [t for t in trials if t.dialect == dialect and t.role == "contestant"]


def _slow(standing: ranking.Standing) -> float:
    return standing.ratio.value if standing.ratio else 0.0


def _pairs(scores: Scores, order: Sequence[str], margin: float) -> Iterator[Pair]:
    for place, faster in enumerate(order):
        for slower in order[place + 1 :]:
            if ratio := ranking.paired_ratio(scores, slower, faster):
                yield Pair(slower, faster, ratio, ranking.differs(scores, slower, faster, margin))


def _aliased(cells: Sequence[Cell]) -> list[Cell]:
    """An alias shows what the dialect with the same program shows, without a place of its own."""
    by_name = {cell.dialect: cell for cell in cells}
    return [
        replace(
            by_name[cell.alias_of],
            dialect=cell.dialect,
            alias_of=cell.alias_of,
            rank=None,
            ratio=None,
        )
        if cell.alias_of in by_name
        else cell
        for cell in cells
    ]
