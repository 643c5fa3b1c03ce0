"""tensorstone from Python: the same engine, ledger and words as the command line.

    import tensorstone as stone

    result = stone.compare("lenet", dialects=["pytorch/eager", "jax/flax"], budget="60s")
    print(result)            # the tables that the command prints
    result.frame()           # a polars frame: a row for each cell and metric
    result.plot()            # an altair chart with intervals

A workload is a name of the catalogue, the path of a file, or a `Workload` made here. Everything is
kept in the ledger, as the commands keep it: `stone.runs()` lists it, and any run can be shown
again. A mistake raises `StoneError`, whose message says what is wrong and whose hint what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Assembled, Cell, Comparison, Training
from tensorstone.results.run import RunFacts, RunRecord
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    import altair
    import polars

    from tensorstone.report.rendered import Shown
    from tensorstone.session.watch import Watch

__all__ = [
    "Program",
    "Result",
    "StoneError",
    "Workload",
    "compare",
    "prove",
    "runs",
    "show",
    "train",
    "translate",
]

Named = str | Workload
Words = str | Sequence[str]
Counts = int | Sequence[int]


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
            from tensorstone.session.assembling import assembled

            with _opened(self._ledger) as ledger:
                self._assembled = tuple(assembled(ledger, number) for number in self._numbers)
        return self._assembled

    @property
    def facts(self) -> RunFacts:
        """Of the first run: command, workload, machine, settings, times."""
        return self.runs[0].facts

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of every run: its outcome, proof, figures, rank and ratio."""
        return tuple(cell for run in self.runs for cell in run.cells)

    def cell(self, dialect: str, workload: str | None = None) -> Cell:
        """The cell of a dialect; of the first run that has one, unless a workload is named."""
        for cell in self.cells:
            if cell.dialect == dialect and workload in (None, cell.workload):
                return cell
        there = ", ".join(dict.fromkeys(cell.dialect for cell in self.cells))
        raise StoneError(f"there is no cell of {dialect!r} here", f"there are: {there}")

    @property
    def ok(self) -> bool:
        """Whether nothing fell short: every cell is ok, unsupported, or a known defect."""
        return not any(cell.fell_short for cell in self.cells)

    def records(self) -> tuple[RunRecord, ...]:
        """Everything that was kept: every block of every trial, programs, proofs."""
        from tensorstone.ledger.reading import record

        with _opened(self._ledger) as ledger:
            return tuple(record(ledger, number) for number in self._numbers)

    def table(self) -> Shown:
        """The tables and notes, as the command line prints them."""
        from tensorstone.report.rendered import Shown
        from tensorstone.report.showing import shown, swept

        parts = [part for run in self.runs for part in shown(run, self._ledger)]
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
        """A sweep's curves, a ranking with intervals, or learning curves."""
        from tensorstone.analysis.sweep import sweeps
        from tensorstone.report.plots import sweep_chart
        from tensorstone.report.ranking_plot import curves_plot, ranking_plot

        comparisons = [run for run in self.runs if isinstance(run, Comparison)]
        trainings = [run for run in self.runs if isinstance(run, Training)]
        drawn = [
            *(c for points in sweeps(comparisons) if (c := sweep_chart(points))),
            *(c for one in comparisons if (c := ranking_plot(one))),
            *(c for one in trainings if (c := curves_plot(one))),
        ]
        if not drawn:
            raise StoneError("there is nothing to draw", "no cell of these runs was timed")
        return drawn[0]

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


class Program(str):
    """A program's source. It is a string; a notebook shows it in colours."""

    def _repr_html_(self) -> str:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer

        return str(highlight(self, PythonLexer(), HtmlFormatter(noclasses=True)))


def compare(
    workload: Named | Iterable[Named],
    dialects: Words = (),
    *,
    lane: str | None = None,
    everything: bool = False,
    budget: str = "5m",
    precision: str = "2%",
    batch: Counts = (),
    threads: Counts = (),
    allocator: str = "",
    feed_workers: int = 0,
    timeout: str = "10m",
    progress: bool = True,
) -> Result:
    """Prove programs equal, then time them side by side. As `stone compare`."""
    from tensorstone.session import asking
    from tensorstone.session.comparing import compare as run

    request = asking.compare_request(
        workload,
        asking.dialects(dialects, lane, everything),
        budget=budget,
        precision=precision,
        batches=_counts(batch),
        threads=_counts(threads),
        allocator=allocator,
        feed_workers=feed_workers,
        timeout=timeout,
        words=_call("compare", workload, dialects),
    )
    with _opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


def prove(
    workload: Named | Iterable[Named],
    dialects: Words = (),
    *,
    lane: str | None = None,
    everything: bool = False,
    threads: int = 0,
    timeout: str = "10m",
    progress: bool = True,
) -> Result:
    """Hold programs against the oracle, and say what is wrong with those that differ. As
    `stone prove`."""
    from tensorstone.session import asking
    from tensorstone.session.prove import prove as run

    chosen = asking.dialects(dialects, lane, everything)
    words = _call("prove", workload, dialects)
    request = asking.prove_request(workload, chosen, threads, timeout, words)
    with _opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


def train(
    workload: Named | Iterable[Named],
    dialects: Words = (),
    *,
    lane: str | None = None,
    everything: bool = False,
    epochs: int = 0,
    seeds: int = 1,
    threads: int = 0,
    data: str = "real",
    timeout: str = "1h",
    progress: bool = True,
) -> Result:
    """Train to the last epoch in each dialect, and judge on held-out samples. As `stone train`."""
    from tensorstone.session import asking
    from tensorstone.session.training import train as run

    chosen = asking.dialects(dialects, lane, everything)
    words = _call("train", workload, dialects)
    request = asking.train_request(workload, chosen, epochs, seeds, threads, data, timeout, words)
    with _opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


def translate(workload: Named, dialect: str) -> Program:
    """The program of a workload in a dialect: it runs with that framework and NumPy alone."""
    from tensorstone.session import asking
    from tensorstone.session.translating import translations

    (chosen,) = _one(asking.dialects([dialect]), dialect)
    (found,) = asking.workloads(workload)
    (done,) = translations(found, [chosen])
    if done.source is None:
        raise StoneError(
            f"{done.dialect} cannot say {done.workload}: {done.outcome.reason}",
            "choose another dialect",
        )
    return Program(done.source)


def runs() -> list[Result]:
    """Every run in the ledger, the oldest first: `stone.runs()[-1]` is the latest."""
    from tensorstone.ledger.reading import numbers

    with _opened() as ledger:
        return [Result([number], ledger.path) for number, _, _ in reversed(numbers(ledger))]


def show(run: int | str = "latest") -> Result:
    """A run by its number, `latest`, or the beginning of its id."""
    from tensorstone.session.reading import runs as meant

    with _opened() as ledger:
        return Result(meant(ledger, [str(run)]), ledger.path)


def _opened(path: Path | None = None) -> Any:
    from tensorstone.ledger.ledger import Ledger
    from tensorstone.session.running import open_ledger

    return open_ledger() if path is None else Ledger(path)


def _result(done: Sequence[Assembled], ledger: Path) -> Result:
    return Result([one.facts.number for one in done], ledger)


def _watch(progress: bool) -> Watch:
    from tensorstone.session.notebook import Notebook, in_notebook
    from tensorstone.session.terminal import Terminal
    from tensorstone.session.watch import Unwatched

    if not progress:
        return Unwatched()
    return Notebook() if in_notebook() else Terminal()


def _counts(given: Counts) -> tuple[int, ...]:
    several = (given,) if isinstance(given, int) else tuple(given)
    for count in several:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise StoneError(f"{count!r} is no number of at least 1", "give whole numbers")
    return several


def _call(name: str, workload: Named | Iterable[Named], dialects: Words) -> tuple[str, ...]:
    """The call, for the ledger."""
    several = [workload] if isinstance(workload, str | Workload) else list(workload)
    named = [one if isinstance(one, str) else one.name for one in several]
    chosen = [dialects] if isinstance(dialects, str) else list(dialects)
    return (f"tensorstone.{name}", *named, *chosen)


def _one(chosen: list[Any], word: str) -> list[Any]:
    if len(chosen) != 1:
        names = ", ".join(dialect.name for dialect in chosen)
        raise StoneError(f"{word!r} is several dialects", f"name one of: {names}")
    return chosen
