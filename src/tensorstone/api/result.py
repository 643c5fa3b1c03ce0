"""What a call gives: its runs as tables, figures, charts and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Assembled, Cell
from tensorstone.results.run import RunFacts, RunRecord
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    import altair
    import polars

    from tensorstone.ledger.ledger import Ledger
    from tensorstone.report.rendered import Shown


class Result:
    """One or several runs: of one call, or read from the ledger.

    Printed it is the tables of the command line; in a notebook, HTML. What it holds is read from
    the ledger when it is first asked for.
    """

    def __init__(self, numbers: Sequence[int], ledger: Path) -> None:
        self._numbers, self._ledger = tuple(numbers), ledger
        self._assembled: tuple[Assembled, ...] | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The runs' numbers in the ledger."""
        return self._numbers

    @property
    def runs(self) -> tuple[Assembled, ...]:
        """What each run came to: a Comparison, a Training, Proofs or an Examination."""
        if self._assembled is None:
            from tensorstone.session.reading import results

            with opened(self._ledger) as ledger:
                self._assembled = tuple(results(ledger, list(map(str, self._numbers))))
        return self._assembled

    @property
    def facts(self) -> RunFacts:
        """Of the first run: command, workload, machine, settings, times."""
        return self.runs[0].facts

    @property
    def workload(self) -> Workload:
        """Of the first run, as it was then: to run it again, or to change it."""
        from tensorstone.models.written import from_data

        kept = self.facts.workload
        if not kept.data:
            raise StoneError(f"{kept.name} was not kept whole", "the run is of an earlier version")
        return from_data(kept.data)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of every run: its outcome, proof, figures, rank and ratio."""
        return tuple(cell for run in self.runs for cell in run.cells)

    def cell(self, dialect: str, workload: str | None = None) -> Cell:
        """The cell of a dialect; of the first run that has one, unless a workload is named."""
        for cell in self.cells:
            if cell.dialect == dialect and workload in (None, cell.workload):
                return cell
        there = ", ".join(f"{cell.dialect} on {cell.workload}" for cell in self.cells)
        sought = f"{dialect!r} on {workload!r}" if workload else repr(dialect)
        raise StoneError(f"there is no cell of {sought} here", f"there are: {there or 'none'}")

    @property
    def ok(self) -> bool:
        """Whether nothing fell short: every cell is ok, unsupported, or a known defect."""
        return not any(cell.fell_short for cell in self.cells)

    def records(self) -> tuple[RunRecord, ...]:
        """Everything that was kept: every block of every trial, programs, proofs."""
        from tensorstone.session.reading import record

        with opened(self._ledger) as ledger:
            return tuple(record(ledger, str(number)) for number in self._numbers)

    def table(self) -> Shown:
        """The tables and notes, as the command line prints them."""
        from tensorstone.report.rendered import Shown
        from tensorstone.report.showing import shown, swept

        said: set[str] = set()
        parts = [part for run in self.runs for part in shown(run, self._ledger, said)]
        return Shown([*parts, *swept(self.runs)])

    def proofs(self) -> Shown:
        """How each program was proven, array by array."""
        from tensorstone.report.details import proofs
        from tensorstone.report.rendered import Shown

        return Shown([part for run in self.runs for part in proofs(run)])

    def frame(self) -> polars.DataFrame:
        """A row for each cell and metric, with its interval, n, unit and machine."""
        from tensorstone.report.tidy import frame

        return frame(self.runs)

    def plot(self) -> altair.TopLevelMixin:
        """The first of `plots()`: of a sweep its curves, of a race its ranking."""
        return self.plots()[0]

    def plots(self) -> list[altair.TopLevelMixin]:
        """Sweeps' curves, rankings with intervals, and learning curves, in this order."""
        from tensorstone.report.pictures import charts

        drawn = charts(self.runs)
        if not drawn:
            raise StoneError("there is nothing to draw", "no cell of these runs was timed")
        return drawn

    def to_json(self) -> dict[str, Any]:
        """What the command prints with `--json`, without its first two keys."""
        from tensorstone.report.as_json import results_json

        return results_json(self.runs)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        numbers = ", ".join(map(str, self._numbers))
        return f"<Result of run{'s' * (len(self._numbers) != 1)} {numbers}>"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class Runs(list[Result]):
    """Every run, the oldest first. Printed it is the list of `stone runs`."""

    def __init__(self, several: Iterable[Result], ledger: Path) -> None:
        super().__init__(several)
        self._ledger = ledger

    def table(self) -> Shown:
        """A line each, the latest first."""
        from tensorstone.report.rendered import Shown
        from tensorstone.report.runs import runs_table
        from tensorstone.session.reading import summaries

        with opened(self._ledger) as ledger:
            return Shown([runs_table(summaries(ledger))])

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class ProgramText(str):
    """A program's source. It is a string; a notebook shows it in colours."""

    def _repr_html_(self) -> str:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer

        return str(highlight(self, PythonLexer(), HtmlFormatter(noclasses=True)))


def opened(path: Path | None = None) -> Ledger:
    """The ledger at this path; by default the user's."""
    from tensorstone.session.running import open_ledger

    return open_ledger(path)
