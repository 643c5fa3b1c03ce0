"""`stone prove`: the equality table, with diagnoses."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Timeout, Workloads, said, words


def command(
    workloads: Workloads,
    dialects: Dialects = None,
    lane: Lane = None,
    every: All = False,
    threads: Annotated[
        int, typer.Option(min=0, help="Threads for everyone; 0 is one for each processor.")
    ] = 0,
    timeout: Timeout = "10m",
    as_json: Json = False,
) -> None:
    """Prove that programs compute what the model says, or say what they compute instead.

    Each program is given the same weights and batches and compared with a float64 oracle: shapes,
    outputs, every gradient, and a trace of updates. A program that differs is diagnosed. The table
    shows, for each level, the largest error and the tolerance, both relative.

    Examples:

        stone prove lenet

        stone prove lenet cnn-cifar10 --all

        stone prove ./mine.py --dialects pytorch,mxnet/module --json
    """
    from tensorstone.cli.console import say_warning
    from tensorstone.cli.printing import print_results, printing
    from tensorstone.session import asking
    from tensorstone.session.prove import prove
    from tensorstone.session.running import open_ledger

    several = asking.workloads(workloads, say_warning)
    chosen = asking.dialects(words(dialects), lane, every)
    request = asking.prove_request(several, chosen, threads, timeout, said())
    with open_ledger() as ledger:
        done = prove(request, ledger, printing(ledger.path, as_json))
        print_results("prove", done, as_json, arrays=True)
