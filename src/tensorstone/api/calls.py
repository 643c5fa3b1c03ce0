"""What can be asked from Python: one function for each command that measures or shows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from tensorstone.api.result import ProgramText, Result, Runs, opened
from tensorstone.models.workload import Workload
from tensorstone.results.comparison import Assembled
from tensorstone.support.errors import StoneError, WorkloadWarning

if TYPE_CHECKING:
    from tensorstone.dialects.registry import Dialect
    from tensorstone.session.watch import Watch

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

    several, chosen = _read(workload), asking.dialects(dialects, lane, everything)
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
    with opened() as ledger:
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

    several, chosen = _read(workload), asking.dialects(dialects, lane, everything)
    words = _call("prove", several, chosen)
    request = asking.prove_request(several, chosen, threads, timeout, words)
    with opened() as ledger:
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
    batch: Counts = (),
    timeout: Time = "1h",
    progress: bool = True,
) -> Result:
    """Train to the last epoch in each dialect, and judge on held-out samples. As `stone train`.

    epochs: how many; 0 is what the recipe says. seeds: trainings of each dialect.
    data: "real", or "synthetic" samples of the same shape. batch: one size or several to
    train with instead of the recipe's, a run for each. The others are those of `compare`.
    """
    from tensorstone.session import asking
    from tensorstone.session.training import train as run

    several, chosen = _read(workload), asking.dialects(dialects, lane, everything)
    words = _call("train", several, chosen)
    request = asking.train_request(
        several, chosen, epochs, seeds, threads, data, _counts(batch), timeout, words
    )
    with opened() as ledger:
        return _result(run(request, ledger, _watch(progress)), ledger.path)


@_mistakes_alone
def translate(workload: Named, dialect: str) -> ProgramText:
    """The program of a workload in a dialect: it runs with that framework and NumPy alone."""
    from tensorstone.session import asking
    from tensorstone.session.translating import translations

    found, chosen = _read(workload), asking.dialects([dialect])
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

    with opened() as ledger:
        numbers = reversed([one.facts.number for one in summaries(ledger)])
        return Runs((Result([number], ledger.path) for number in numbers), ledger.path)


@_mistakes_alone
def show(*run: int | str) -> Result:
    """Runs by number, `latest`, `3-6`, or the beginning of an id. Without any, all runs of the
    latest call or command, as `stone show`."""
    from tensorstone.session.reading import runs as meant

    with opened() as ledger:
        return Result(meant(ledger, [str(one) for one in run]), ledger.path)


def _read(named: Named | Iterable[Named]) -> list[Workload]:
    """What is meant; a warning for what in it is nearly always a mistake."""
    from tensorstone.session import asking

    said: list[str] = []
    found = asking.workloads(named, lambda message, hint: said.append(f"{message}; {hint}"))
    for text in said:
        warnings.warn(text, WorkloadWarning, stacklevel=4)  # at the line of the person's own call
    return found


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
