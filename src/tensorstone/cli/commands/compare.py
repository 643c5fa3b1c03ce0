"""`stone compare`: the main job. Prove, time, rank, keep, show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Plot, Timeout, Workloads, said, words

if TYPE_CHECKING:
    from tensorstone.session.comparing import CompareRequest


def command(
    workloads: Workloads,
    dialects: Dialects = None,
    lane: Lane = None,
    every: All = False,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="Time for each race's rounds: 90s, 5m, 1h.")
    ] = "5m",
    precision: Annotated[
        str,
        typer.Option(
            metavar="SHARE", help="Stop early when every ratio is known to within this share."
        ),
    ] = "2%",
    batch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N,…", help="Batch sizes to use instead of the recipe's, a race for each."
        ),
    ] = None,
    threads: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N,…",
            help="Threads for every contestant, a race for each number; default: one a processor.",
        ),
    ] = None,
    feed_workers: Annotated[
        int,
        typer.Option(
            min=0,
            help="Also measure each loader with this many worker processes, if it can have them.",
        ),
    ] = 0,
    allocator: Annotated[
        str,
        typer.Option(
            metavar="WAY",
            help="How the C library treats freed memory: `default`, or `kept` for reuse. "
            "By default `kept` if all contestants are in the tuned lane.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done, and how long it takes.")
    ] = False,
    plot: Plot = None,
    timeout: Timeout = "10m",
    as_json: Json = False,
) -> None:
    """Rank dialects on a workload: prove them equal, then time them side by side, in turns.

    Environments are installed as needed. A run that is interrupted or killed goes on where it
    stopped when the same command is given again. `stone show` shows the result again.

    Examples:

        stone compare lenet

        stone compare lenet mlp-mnist --dialects pytorch,mxnet/module --budget 5m

        stone compare ./mine.py --all --json

        stone compare lenet --batch 1,8,32,128 --budget 2m

        stone compare lenet --plot ranking.svg

        stone compare vgg-cifar10 --lane tuned --dry-run
    """
    from tensorstone.cli.console import say_warning
    from tensorstone.session import asking
    from tensorstone.support.durations import numbers

    request = asking.compare_request(
        asking.workloads(workloads, say_warning),
        asking.dialects(words(dialects), lane, every),
        budget=budget,
        precision=precision,
        batches=numbers(",".join(batch or []), "batch sizes"),
        threads=numbers(",".join(threads or []), "threads"),
        allocator=allocator,
        feed_workers=feed_workers,
        timeout=timeout,
        words=said(),
    )
    if dry_run:
        _intend(request, as_json)
    else:
        _compare(request, as_json, plot)


def _compare(request: CompareRequest, as_json: bool, plot: Path | None) -> None:
    from tensorstone.cli.printing import print_results, printing
    from tensorstone.report.plots import sweep_plots
    from tensorstone.session.comparing import compare
    from tensorstone.session.running import open_ledger
    from tensorstone.support.folders import data_dir

    with open_ledger() as ledger:
        done = compare(request, ledger, printing(ledger.path, as_json))
        drawn = sweep_plots(done, data_dir() / "plots")
        print_results("compare", done, as_json, plots=drawn, plot=plot)


def _intend(request: CompareRequest, as_json: bool) -> None:
    from dataclasses import asdict

    from tensorstone.cli.console import out, print_json
    from tensorstone.cli.tables import table_of
    from tensorstone.session.dry_run import planned_cells
    from tensorstone.support.durations import duration

    wanted, budget_s = request.variants(), request.settings.budget_s
    cells = [c for v in wanted for c in planned_cells([v.workload], request.dialects)]
    left_out = {c.workload for c in cells} - {c.workload for c in cells if c.will != "leave out"}
    timing_s = budget_s * sum(v.workload.name not in left_out for v in wanted)
    if as_json:
        print_json("compare", dry_run=True, timing_s=timing_s, cells=[asdict(c) for c in cells])
        return
    console = out()
    console.print(table_of("what would be done", [asdict(cell) for cell in cells]), "")
    console.print(
        f"Timing takes {duration(timing_s)} ({duration(budget_s)} a race), less if the "
        "precision is reached earlier, more if two rounds do not fit. Before that every program "
        "is proven, some seconds each unless a proof is kept. Installing takes as long as its "
        "downloads.",
        markup=False,
    )
