"""`stone prove`: the equality table, with diagnoses."""

from __future__ import annotations

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Timeout, Workloads, words


def command(
    workloads: Workloads,
    dialects: Dialects = "",
    lane: Lane = None,
    every: All = False,
    timeout: Timeout = "10m",
    as_json: Json = False,
) -> None:
    """Prove that programs compute what the model says, or say what they compute instead.

    Each program is given the same weights and batches and held against a float64 oracle: shapes,
    outputs, every gradient, and a trace of updates. A program that differs is diagnosed.

    Examples:

        stone prove lenet

        stone prove lenet cnn-cifar10 --all

        stone prove ./mine.py --dialects pytorch,mxnet/module --json
    """
    from tensorstone.cli.console import out, print_json
    from tensorstone.dialects.registry import select
    from tensorstone.models.load import find
    from tensorstone.report.machine import machine_json
    from tensorstone.report.proofs import proof_table, remarks
    from tensorstone.runtime.machine import this_machine
    from tensorstone.session import watch
    from tensorstone.session.entries import enter, processors
    from tensorstone.session.noise import known
    from tensorstone.session.proving import prove_all
    from tensorstone.support import folders
    from tensorstone.support.durations import seconds
    from tensorstone.support.progress import for_stderr

    patience = seconds(timeout)
    chosen = [find(word) for word in workloads]
    folders.cache_dir()  # if it cannot be written, better now than later
    entries = enter(chosen, select(words(dialects), lane, every), for_stderr())
    with watch.proofs(len(entries)) as watcher:
        cells = prove_all(entries, watcher, patience)
    if as_json:
        machine = machine_json(this_machine(), known(len(processors())))
        print_json("prove", machine=machine, cells=[cell.to_json() for cell in cells])
    else:
        console = out()
        for workload in chosen:
            mine = [cell for cell in cells if cell.workload == workload.name]
            console.print(proof_table(workload.title, mine), "")
            for line in remarks(mine):
                console.print(line, markup=False)
    if any(cell.fell_short for cell in cells):
        raise typer.Exit(1)
