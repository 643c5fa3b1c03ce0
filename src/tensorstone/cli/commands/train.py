"""`stone train`: whole training, metric against time."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Plot, Timeout, Workloads, said, words


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

        stone train mlp-mnist --plot curves.html

        stone train ./mine.py --data synthetic --epochs 2 --json
    """
    from tensorstone.cli.console import say_warning
    from tensorstone.cli.results import print_results, printing
    from tensorstone.session import asking
    from tensorstone.session.running import open_ledger
    from tensorstone.session.training import train

    several = asking.workloads(workloads, say_warning)
    chosen = asking.dialects(words(dialects), lane, every)
    request = asking.train_request(several, chosen, epochs, seeds, threads, data, timeout, said())
    with open_ledger() as ledger:
        done = train(request, ledger, printing(ledger.path, as_json))
        print_results("train", done, as_json, plot=plot)
