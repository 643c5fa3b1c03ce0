"""A result as a person reads it: the same lines right after the work and whenever it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from tensorstone.analysis.sweep import sweeps
from tensorstone.report.deployment import deployment_table
from tensorstone.report.examination import examination_lines
from tensorstone.report.footnotes import footnotes
from tensorstone.report.proofs import proof_table, remarks
from tensorstone.report.ranking import ranked, ranking_table
from tensorstone.report.sweep import LINE, is_line, names, sweep_table
from tensorstone.report.totals import totals_table
from tensorstone.report.training import footnotes as training_footnotes
from tensorstone.report.training import training_table
from tensorstone.results.comparison import Assembled, Comparison, Examination, Proofs, Training


def shown(result: Assembled, ledger: Path) -> Iterator[RenderableType]:
    """One result, part by part; `ledger` is the file it is kept in."""
    match result:
        case Comparison():
            yield from _comparison(result, ledger)
        case Training():
            yield from _training(result, ledger)
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
                yield plain(LINE)


def plain(line: str) -> Text:
    """A line as it is: brackets in it are brackets."""
    return Text(line)


def _comparison(done: Comparison, ledger: Path) -> Iterator[RenderableType]:
    workload = done.facts.workload
    if any(cell.rank for cell in done.cells):
        title = f"{workload.title}: one training step, batch {workload.batch}"
        yield from (ranking_table(title, done.cells), "")
        if len(done.totals) > 1:
            title = "Total time (import, build and all steps) until N steps are done"
            yield from (totals_table(title, done.totals), "")
        yield from (deployment_table("After training, and feeding", ranked(done.cells)), "")
    yield from map(plain, footnotes(done, ledger))


def _training(done: Training, ledger: Path) -> Iterator[RenderableType]:
    cells = [one.cell for one in done.trained if one.curve and not one.cell.alias_of]
    if cells:
        yield from (training_table(done), "")
        yield from (deployment_table("After training", cells), "")
    yield from map(plain, training_footnotes(done, ledger))


def _proofs(done: Proofs, ledger: Path) -> Iterator[RenderableType]:
    yield from (proof_table(done.facts.workload.title, done.cells), "")
    yield from map(plain, remarks(done.cells))
