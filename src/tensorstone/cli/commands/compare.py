"""`stone compare`: the main job. Prove, time, rank, keep, show."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Timeout, Workloads, words
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tensorstone.dialects.registry import Dialect
    from tensorstone.ledger.ledger import Ledger
    from tensorstone.race.plan import Settings
    from tensorstone.session.comparing import Comparison
    from tensorstone.session.entries import Entry
    from tensorstone.session.sweep import Point, Variant

ALLOCATORS = ("default", "kept")
# Three processes are the fewest that have an interval, later rounds are for the steps alone; and so
# are all but the first where time is short, since life after training takes as long as training.
LIFE_ROUNDS, SHORT_S = 3, 150.0  # for each contestant


def command(
    workloads: Workloads,
    dialects: Dialects = "",
    lane: Lane = None,
    every: All = False,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Time for each race's rounds: 90s, 5m, 1h.")
    ] = "5m",
    precision: Annotated[
        str, typer.Option(metavar="SHARE", help="Stop sooner when every ratio is this certain.")
    ] = "2%",
    batch: Annotated[
        str,
        typer.Option(metavar="N,…", help="Other batch sizes than the recipe's: a race for each."),
    ] = "",
    threads: Annotated[
        str,
        typer.Option(
            metavar="N,…",
            help="Threads for everyone, a race for each; unless said, one for each processor.",
        ),
    ] = "",
    feed_workers: Annotated[
        int,
        typer.Option(
            min=0, help="Measure loaders with so many worker processes too, where they can be had."
        ),
    ] = 0,
    allocator: Annotated[
        str,
        typer.Option(
            metavar="WAY",
            help="The C library's, for everyone: `default`, or `kept` (freed memory is kept). "
            "Unless said, kept if all contestants are of the tuned lane.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done, and how long it takes.")
    ] = False,
    timeout: Timeout = "10m",
    as_json: Json = False,
) -> None:
    """Rank dialects on a workload: prove them equal, then time them side by side, in turns.

    Environments are installed as needed. A run that is interrupted or killed goes on where it
    stopped when the same command is given again.

    Examples:

        stone compare lenet

        stone compare lenet mlp-mnist --dialects pytorch,mxnet/module --budget 5m

        stone compare ./mine.py --all --json

        stone compare lenet --batch 1,8,32,128 --budget 2m

        stone compare vgg-cifar10 --lane tuned --dry-run
    """
    from tensorstone.dialects.registry import select
    from tensorstone.models.load import find
    from tensorstone.race.plan import Settings
    from tensorstone.session.entries import enter, thread_count
    from tensorstone.session.sweep import variants
    from tensorstone.support import folders
    from tensorstone.support.durations import numbers, seconds, share
    from tensorstone.support.machine_lock import undisturbed
    from tensorstone.support.progress import for_stderr

    patience = seconds(timeout)
    counts = [thread_count(count) for count in numbers(threads, "threads") or [0]]
    sizes = numbers(batch, "batch sizes")
    chosen = [find(word) for word in workloads]
    contestants = select(words(dialects), lane, every)
    settings = Settings(
        budget_s=seconds(budget),
        precision=share(precision),
        life_rounds=LIFE_ROUNDS if seconds(budget) >= SHORT_S * len(contestants) else 1,
        feed_workers=feed_workers,
        memory_kept=_kept(allocator, contestants),
    )
    if dry_run:
        _intend(variants(chosen, sizes, counts), contestants, settings, as_json)
        return
    # What cannot be written is better known now than after the work.
    folders.cache_dir()
    folders.data_dir()
    wanted = variants(chosen, sizes, counts)
    workloads_ = list({id(v.workload): v.workload for v in wanted}.values())
    entries = enter(workloads_, contestants, for_stderr())
    with undisturbed():
        _referee(wanted, entries, settings, patience, as_json)


def _intend(
    wanted: Sequence[Variant], dialects: Sequence[Dialect], settings: Settings, as_json: bool
) -> None:
    from tensorstone.cli.commands.listing import table_of
    from tensorstone.cli.console import out, print_json
    from tensorstone.race.stop import duration
    from tensorstone.session.dry_run import intentions

    cells = [c for v in wanted for c in intentions([v.workload], dialects)]
    left_out = {c.workload for c in cells} - {c.workload for c in cells if c.will != "leave out"}
    races = [v for v in wanted if v.workload.name not in left_out]
    timing_s = settings.budget_s * len(races)
    if as_json:
        print_json("compare", dry_run=True, timing_s=timing_s, cells=[asdict(c) for c in cells])
        return
    console = out()
    console.print(table_of("what would be done", [asdict(cell) for cell in cells]), "")
    console.print(
        f"Timing takes {duration(timing_s)} ({duration(settings.budget_s)} a race), less if all is "
        "known sooner, more where two rounds are not done by then. Before it every program "
        "is proven, some seconds each unless it has been before; installing takes as long as "
        "fetching does.",
        markup=False,
    )


def _kept(allocator: str, contestants: Sequence[Dialect]) -> bool:
    if allocator and allocator not in ALLOCATORS:
        raise StoneError(f"there is no allocator called {allocator!r}", "ask for default or kept")
    return allocator == "kept" or (
        not allocator and all(dialect.lane == "tuned" for dialect in contestants)
    )


def _referee(
    wanted: Sequence[Variant],
    entries: list[Entry],
    settings: Settings,
    patience: float,
    as_json: bool,
) -> None:
    from tensorstone.cli.console import print_json
    from tensorstone.ledger.ledger import Ledger
    from tensorstone.report.compare_json import compared
    from tensorstone.report.machine import machine_json
    from tensorstone.report.plots import sweep_plot
    from tensorstone.runtime.machine import this_machine
    from tensorstone.session import watch
    from tensorstone.session.noise import known
    from tensorstone.session.proving import prove_all
    from tensorstone.session.sweep import Point
    from tensorstone.support.folders import data_dir

    with watch.proofs(len(entries)) as watcher:
        proofs = prove_all(entries, watcher, patience)
    machine = machine_json(this_machine(), known(wanted[0].threads))
    done: list[Point] = []
    with Ledger(data_dir() / "ledger.sqlite") as ledger:
        for variant in wanted:
            group = [e for e in entries if e.workload is variant.workload]
            mine = {c.dialect: c for c in proofs if c.workload == variant.workload.name}
            comparison = _race(group, mine, settings, variant.threads, machine, ledger)
            done.append(Point(variant, comparison))
            if not as_json:
                _show(comparison, machine, ledger)
    sweeps = [
        [point for point in done if point.variant.base is base]
        for base in {id(variant.base): variant.base for variant in wanted}.values()
    ]
    plots = [sweep_plot(points, machine, data_dir() / "plots") for points in sweeps]
    if as_json:
        print_json("compare", machine=machine, **compared(done, sweeps, plots))
    else:
        _show_sweeps(sweeps, plots)
    cells = [cell for point in done for cell in point.comparison.cells]
    failed = any(cell.fell_short for cell in cells)
    if failed or any(cell.life and not cell.life.ok for cell in cells):
        raise typer.Exit(1)


def _race(
    group: list[Entry],
    proofs: dict[str, Any],
    settings: Settings,
    threads: int,
    machine: dict[str, Any],
    ledger: Ledger,
) -> Comparison:
    from tensorstone.session import watch
    from tensorstone.session.comparing import compare

    with watch.race(f"timing {group[0].workload.name}", settings.budget_s) as watcher:
        return compare(group, proofs, settings, threads, machine, ledger, watcher)


def _show(comparison: Comparison, machine: dict[str, Any], ledger: Ledger) -> None:
    from tensorstone.cli.console import out
    from tensorstone.report.deployment import life_table
    from tensorstone.report.footnotes import footnotes
    from tensorstone.report.ranking import ranked, ranking_table
    from tensorstone.report.totals import totals_table

    console = out()
    recipe = comparison.workload.recipe
    title = f"{comparison.workload.title}: one training step, batch {recipe.batch}"
    if any(cell.rank for cell in comparison.cells):
        console.print(ranking_table(title, comparison.cells), "")
        if len(comparison.totals) > 1:
            title = "From nothing (import, build, first step) to the end of so many steps"
            console.print(totals_table(title, comparison.totals), "")
        console.print(life_table("After training, and feeding", ranked(comparison.cells)), "")
    for line in footnotes(comparison, machine, ledger.path):
        console.print(line, markup=False)


def _show_sweeps(sweeps: list[list[Point]], plots: list[Path | None]) -> None:
    from tensorstone.cli.console import out
    from tensorstone.report.sweep import LINE, is_line, names, sweep_table

    console = out()
    for points, plot in zip(sweeps, plots, strict=True):
        if len(points) > 1 and names(points):
            console.print("", sweep_table(points), "")
            if is_line(points):
                console.print(LINE, markup=False)
            console.print(f"As a picture: {plot}", markup=False)
