"""`stone run-program`: an emitted program in its framework's environment."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli import completion


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|WORKLOAD",
            help="A program that `stone translate --out` wrote, or a workload to write first.",
            autocompletion=completion.workloads,
        ),
    ],
    dialect: Annotated[
        str,
        typer.Argument(
            metavar="DIALECT",
            help="Whose environment it runs in: pytorch/eager.",
            autocompletion=completion.dialects,
        ),
    ],
    data: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="Real data to train on, by its set's name, or an .npz file; by default the "
            "program makes synthetic samples.",
            autocompletion=completion.data_sets,
        ),
    ] = "",
    threads: Annotated[
        int, typer.Option(min=0, help="Threads for the program; 0 is one for each processor.")
    ] = 0,
) -> None:
    """Run an emitted program by itself: it trains for the recipe's epochs and prints its metric.

    Its framework's environment is installed if need be. What the program prints is passed on, and
    its exit code is this command's.

    Examples:

        stone run-program lenet pytorch/eager

        stone run-program lenet mxnet/gluon --data mnist

        stone run-program programs/lenet_jax_flax.py jax/flax --data mnist.npz
    """
    from tensorstone.session.running_programs import ProgramRequest, run_program
    from tensorstone.support.progress import for_stderr

    code = run_program(ProgramRequest(what, dialect, data, threads), for_stderr())
    if code:
        raise typer.Exit(code)
