"""`stone train`: whole training, metric against time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Plot, Timeout, Workloads, said, words

if TYPE_CHECKING:
    from tensorstone.session.training import TrainRequest


def command(
    workloads: Workloads,
    dialects: Dialects = None,
    lane: Lane = None,
    every: All = False,
    epochs: Annotated[int, typer.Option(min=0, help="Number of epochs; 0: as in the recipe.")] = 0,
    seeds: Annotated[
        int, typer.Option(min=1, help="Trainings of each dialect; 3 or more show their spread.")
    ] = 1,
    threads: Annotated[
        int, typer.Option(min=0, help="Threads for everyone; 0 is one for each processor.")
    ] = 0,
    data: Annotated[
        str, typer.Option(metavar="KIND", help="What to train on: real or synthetic.")
    ] = "real",
    batch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N,…", help="Batch sizes to train with instead of the recipe's, a run for each."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be trained.")
    ] = False,
    plot: Plot = None,
    timeout: Timeout = "1h",
    as_json: Json = False,
) -> None:
    """Train workloads to their last epoch in each dialect, and judge them on samples held back.

    Dialects are proven equal first, then trained one at a time in fresh processes, from the same
    initial weights on the same batches. With --seeds 3 or more their final metrics are compared
    with the variation between seeds. A run that is interrupted or killed goes on with the first
    training that is not finished when the same command is given again.

    Examples:

        stone train lenet --dialects pytorch/eager,jax/flax

        stone train gru-imdb lstm-series --seeds 3

        stone train lenet --batch 50,200 --dry-run

        stone train mlp-mnist --plot curves.html

        stone train ./mine.py --data synthetic --epochs 2 --json
    """
    from tensorstone.cli.console import say_warning
    from tensorstone.cli.printing import print_results, printing
    from tensorstone.session import asking
    from tensorstone.session.running import open_ledger
    from tensorstone.session.training import train
    from tensorstone.support.durations import numbers

    several = asking.workloads(workloads, say_warning)
    chosen = asking.dialects(words(dialects), lane, every)
    batches = numbers(",".join(batch or []), "batch sizes")
    request = asking.train_request(
        several, chosen, epochs, seeds, threads, data, batches, timeout, said()
    )
    if dry_run:
        _intend(request, as_json)
        return
    with open_ledger() as ledger:
        done = train(request, ledger, printing(ledger.path, as_json))
        print_results("train", done, as_json, plot=plot)


def _intend(request: TrainRequest, as_json: bool) -> None:
    from dataclasses import asdict

    from tensorstone.cli.console import out, print_json
    from tensorstone.cli.tables import table_of
    from tensorstone.session.dry_run import missing_data, planned_cells

    workloads = [variant.workload for variant in request.variants()]
    cells = planned_cells(workloads, request.dialects, "train")
    missing = missing_data(workloads) if request.data == "real" else []
    epochs = {one.name: request.epochs or one.recipe.epochs for one in workloads}
    if as_json:
        rows = [asdict(cell) | {"epochs": epochs[cell.workload]} for cell in cells]
        print_json("train", dry_run=True, seeds=request.seeds, missing_data=missing, cells=rows)
        return
    console = out()
    console.print(table_of("what would be done", [asdict(cell) for cell in cells]), "")
    for name, count in epochs.items():
        console.print(f"{name}: epochs {count}, seeds {request.seeds}", markup=False)
    for name in missing:
        said = f"The data set {name} is not here: run stone data get {name}, or train with "
        console.print(f"{said}--data synthetic.", markup=False)
    console.print(
        "Before that every program is proven, some seconds each unless a proof is kept. How long "
        "the training takes is said after its first epoch.",
        markup=False,
    )
