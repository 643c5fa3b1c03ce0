"""A result as a person reads it: the same lines right after the work and whenever it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from tensorstone.analysis.sweep import sweeps
from tensorstone.report.deployment import AFTER, FEEDING, deployment_table
from tensorstone.report.examination import examination_lines
from tensorstone.report.footnotes import FIRST, RATIO, TIES, footnotes
from tensorstone.report.proofs import proof_table, remarks
from tensorstone.report.ranking import ranked, ranking_table
from tensorstone.report.sweep import is_line, line_said, names, sweep_table
from tensorstone.report.totals import totals_table
from tensorstone.report.training import SPREAD, STEPS_ALONE, training_table
from tensorstone.report.training import footnotes as training_footnotes
from tensorstone.results.comparison import Assembled, Comparison, Examination, Proofs, Training

# Lines that say what columns mean: once is enough for several results.
EXPLANATIONS = {RATIO, FIRST, TIES, AFTER, FEEDING, SPREAD, STEPS_ALONE}


def shown(
    result: Assembled, ledger: Path, said: set[str] | None = None
) -> Iterator[RenderableType]:
    """One result, part by part; `ledger` is the file it is kept in. What columns mean is left out
    where it is among what was `said` already, and added to it."""
    said = set() if said is None else said
    match result:
        case Comparison():
            yield from _comparison(result, ledger, said)
        case Training():
            yield from _training(result, ledger, said)
        case Proofs():
            yield from _proofs(result, ledger)
        case Examination():
            yield from examination_lines(result)


def swept(results: Sequence[Assembled]) -> Iterator[RenderableType]:
    """What several races of one workload show together."""
    comparisons = [result for result in results if isinstance(result, Comparison)]
    for points in sweeps(comparisons):
        if len(points) > 1 and names(points):
            yield from ("", sweep_table(points), "")
            if is_line(points):
                yield plain(line_said(points))


def plain(line: str) -> Text:
    """A line as it is: brackets in it are brackets."""
    return Text(line)


def _once(lines: Sequence[str], said: set[str]) -> Iterator[Text]:
    """Explanations that were not given before, and all other lines."""
    for line in lines:
        if line not in said:
            yield plain(line)
        if line in EXPLANATIONS:
            said.add(line)


def _comparison(done: Comparison, ledger: Path, said: set[str]) -> Iterator[RenderableType]:
    workload = done.facts.workload
    if any(cell.rank for cell in done.cells):
        title = f"{workload.title}: one training step, batch {workload.batch}"
        yield from (ranking_table(title, done.cells), "")
        if len(done.totals) > 1:
            title = "Total time (import, build and all steps) until N steps are done"
            yield from (totals_table(title, done.totals), "")
        yield from (deployment_table("After training, and feeding", ranked(done.cells)), "")
    yield from _once(footnotes(done, ledger), said)


def _training(done: Training, ledger: Path, said: set[str]) -> Iterator[RenderableType]:
    cells = [one.cell for one in done.trained if one.curve and not one.cell.alias_of]
    if cells:
        yield from (training_table(done), "")
        yield from (deployment_table("After training", cells), "")
    yield from _once(training_footnotes(done, ledger), said)


def _proofs(done: Proofs, ledger: Path) -> Iterator[RenderableType]:
    yield from (proof_table(done.facts.workload.title, done.cells), "")
    yield from map(plain, remarks(done.cells))
