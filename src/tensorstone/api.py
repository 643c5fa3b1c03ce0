"""tensorstone from Python: the same engine, ledger and words as the command line.

    import tensorstone as stone

    result = stone.compare("lenet", dialects=["pytorch/eager", "jax/flax"], budget="60s")
    print(result)            # the tables that the command prints
    result.frame()           # a polars frame: a row for each cell and metric
    result.plot()            # an altair chart with intervals

A workload is a name of the catalogue, the path of a file, or a `Workload` made here (everything to
make one is in `tensorstone.models`). Everything is kept in the ledger, as the commands keep it:
`stone.runs()` lists it, and any run can be shown again. A mistake raises `StoneError`, whose
`message` says what is wrong and whose `hint` says what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Assembled, Cell, Comparison, Training
from tensorstone.results.run import RunFacts, RunRecord
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    import altair
    import polars

    from tensorstone.dialects.registry import Dialect
    from tensorstone.ledger.ledger import Ledger
    from tensorstone.report.rendered import Shown
    from tensorstone.session.watch import Watch

__all__ = [
    "ProgramText",
    "Result",
    "Runs",
    "StoneError",
    "Workload",
    "compare",
    "prove",
    "runs",
    "show",
    "train",
    "translate",
]

Named = str | Path | Workload
Words = str | Sequence[str]
Counts = int | Sequence[int]
Time = str | float  # "90s", "5m", or seconds

P = ParamSpec("P")
R = TypeVar("R")


def _mistakes_alone(call: Callable[P, R]) -> Callable[P, R]:
    """A mistake comes without the exceptions inside that led to it."""

    @wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return call(*args, **kwargs)
        except StoneError as mistake:
            raise mistake from None

    return called


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

            with _opened(self._ledger) as ledger:
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

        with _opened(self._ledger) as ledger:
            return tuple(record(ledger, str(number)) for number in self._numbers)

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
        """The first of `plots()`: of a sweep its curves, of a race its ranking."""
        return self.plots()[0]

    def plots(self) -> list[altair.TopLevelMixin]:
        """Sweeps' curves, rankings with intervals, and learning curves, in this order."""
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

        with _opened(self._ledger) as ledger:
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


@_mistakes_alone
def compare(
    workload: Named | Iterable[Named],
    dialects: Words = (),
    *,
    lane: str | None = None,
    everything: bool = False,
    budget: Time = "5m",
    precision: str | float = "2%",
    batch: Counts = (),
    threads: Counts = (),
    allocator: str = "",
    feed_workers: int = 0,
    timeout: Time = "10m",
    progress: bool = True,
) -> Result:
    """Prove programs equal, then time them side by side. As `stone compare`.

    workload: a name, the path of a file, a `Workload`, or several of them.
    dialects: names (`pytorch/eager`) or frameworks (`mxnet`); by default four common ones.
    lane: only `idiomatic` or only `tuned` dialects. everything: all dialects.
    budget: time for the rounds of each race: seconds, or "90s", "5m".
    precision: stop sooner when every ratio is known this well: "2%" or 0.02.
    batch, threads: one number or several; each makes a race. Unless said, the recipe's batch and a
    thread for each processor.
    allocator: "default" or "kept" (freed memory is kept), for all contestants.
    feed_workers: measure loaders with so many worker processes too.
    timeout: how long one answer of a program may take.
    progress: show a bar (in a notebook below the cell, elsewhere on standard error).

    Missing environments are installed. Ctrl-C (a notebook's stop button) ends every process; the
    same call again goes on where it stopped.
    """
    from tensorstone.session import asking
    from tensorstone.session.comparing import compare as run

    several, chosen = asking.workloads(workload), asking.dialects(dialects, lane, everything)
    request = asking.compare_request(
        several,
        chosen,
        budget=budget,
        precision=precision,
        batches=_counts(batch),
        threads=_counts(threads),
        allocator=allocator,
        feed_workers=feed_workers,
        timeout=timeout,
        words=_call("compare", several, chosen),
    )
    with _opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


@_mistakes_alone
def prove(
    workload: Named | Iterable[Named],
    dialects: Words = (),
    *,
    lane: str | None = None,
    everything: bool = False,
    threads: int = 0,
    timeout: Time = "10m",
    progress: bool = True,
) -> Result:
    """Compare programs' numbers with the oracle's; name what is wrong where they differ. As
    `stone prove`.

    Arguments are those of `compare`.
    """
    from tensorstone.session import asking
    from tensorstone.session.prove import prove as run

    several, chosen = asking.workloads(workload), asking.dialects(dialects, lane, everything)
    words = _call("prove", several, chosen)
    request = asking.prove_request(several, chosen, threads, timeout, words)
    with _opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


@_mistakes_alone
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
    timeout: Time = "1h",
    progress: bool = True,
) -> Result:
    """Train to the last epoch in each dialect, and judge on held-out samples. As `stone train`.

    epochs: how many; 0 is what the recipe says. seeds: trainings of each dialect.
    data: "real", or "synthetic" samples of the same shape. The others are those of `compare`.
    """
    from tensorstone.session import asking
    from tensorstone.session.training import train as run

    several, chosen = asking.workloads(workload), asking.dialects(dialects, lane, everything)
    words = _call("train", several, chosen)
    request = asking.train_request(several, chosen, epochs, seeds, threads, data, timeout, words)
    with _opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


@_mistakes_alone
def translate(workload: Named, dialect: str) -> ProgramText:
    """The program of a workload in a dialect: it runs with that framework and NumPy alone."""
    from tensorstone.session import asking
    from tensorstone.session.translating import translations

    found, chosen = asking.workloads(workload), asking.dialects([dialect])
    for several, what in ((found, "workloads"), (chosen, "dialects")):
        if len(several) != 1:
            names = ", ".join(one.name for one in several)
            raise StoneError(f"translate takes one of the {what}: {names}", "call it for each")
    (done,) = translations(found[0], chosen)
    if done.source is None:
        raise StoneError(
            f"{done.dialect} cannot say {done.workload}: {done.outcome.reason}",
            "choose another dialect",
        )
    return ProgramText(done.source)


@_mistakes_alone
def runs() -> Runs:
    """Every run in the ledger, the oldest first: `stone.runs()[-1]` is the latest."""
    from tensorstone.session.reading import summaries

    with _opened() as ledger:
        numbers = reversed([one.facts.number for one in summaries(ledger)])
        return Runs((Result([number], ledger.path) for number in numbers), ledger.path)


@_mistakes_alone
def show(*run: int | str) -> Result:
    """Runs by number, `latest`, `3-6`, or the beginning of an id. Without any, all runs of the
    latest call or command, as `stone show`."""
    from tensorstone.session.reading import runs as meant

    with _opened() as ledger:
        return Result(meant(ledger, [str(one) for one in run]), ledger.path)


def _opened(path: Path | None = None) -> Ledger:
    from tensorstone.session.running import open_ledger

    return open_ledger(path)


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
    several = tuple(given) if isinstance(given, Iterable) else (given,)
    for count in several:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise StoneError(
                f"{count!r} is no whole number of at least 1", "give one, or several: [1, 2]"
            )
    return several


def _call(name: str, workloads: Sequence[Workload], dialects: Sequence[Dialect]) -> tuple[str, ...]:
    """The call, for the ledger."""
    return (f"tensorstone.{name}", *(w.name for w in workloads), *(d.name for d in dialects))
