"""`stone train`: whole training, metric against time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tensorstone.cli.options import All, Dialects, Json, Lane, Timeout, Workloads, words
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    from tensorstone.data.prepared.split import Real
    from tensorstone.ledger.ledger import Ledger
    from tensorstone.session.entries import Entry
    from tensorstone.session.training import Training
    from tensorstone.session.training_plan import Terms

KINDS = ("real", "synthetic")


def command(
    workloads: Workloads,
    dialects: Dialects = "",
    lane: Lane = None,
    every: All = False,
    epochs: Annotated[int, typer.Option(min=0, help="How many; 0 is what the recipe says.")] = 0,
    seeds: Annotated[
        int, typer.Option(min=1, help="Trainings of each dialect; 3 or more show their spread.")
    ] = 1,
    threads: Annotated[
        int, typer.Option(min=0, help="Threads for everyone; 0 is one for each processor.")
    ] = 0,
    data: Annotated[
        str, typer.Option(metavar="KIND", help="What to train on: real or synthetic.")
    ] = "real",
    timeout: Timeout = "1h",
    as_json: Json = False,
) -> None:
    """Train workloads to their last epoch in each dialect, and judge them on samples held back.

    Dialects are proven equal first, then trained one at a time in fresh processes, from the same
    initial weights on the same batches. With --seeds 3 or more their final metrics are held
    against the spread of seeds. A run that is interrupted or killed goes on with the first
    training that is not finished when the same command is given again.

    Examples:

        stone train lenet --dialects pytorch/eager,jax/flax

        stone train gru-imdb lstm-series --seeds 3

        stone train ./mine.py --data synthetic --epochs 2 --json
    """
    from tensorstone.dialects.registry import select
    from tensorstone.models.load import find
    from tensorstone.session.entries import enter, thread_count
    from tensorstone.session.training_data import lessons
    from tensorstone.session.training_plan import Terms
    from tensorstone.support import folders
    from tensorstone.support.durations import seconds
    from tensorstone.support.machine_lock import undisturbed
    from tensorstone.support.progress import for_stderr

    if data not in KINDS:
        raise StoneError(f"there is no kind of data called {data!r}", "ask for real or synthetic")
    patience, count = seconds(timeout), thread_count(threads)
    chosen = [find(word) for word in workloads]
    contestants = select(words(dialects), lane, every)
    # What is missing or cannot be written is better known now than after the work.
    folders.cache_dir()
    folders.data_dir()
    samples = [lessons(workload, data) for workload in chosen]  # type: ignore[arg-type]
    entries = enter(chosen, contestants, for_stderr())
    groups = [[e for e in entries if e.workload is workload] for workload in chosen]
    terms = [Terms(epochs or w.recipe.epochs, seeds, count, patience) for w in chosen]
    with undisturbed():
        _teach(list(zip(groups, samples, terms, strict=True)), patience, as_json)


def _teach(groups: list[tuple[list[Entry], Real, Terms]], patience: float, as_json: bool) -> None:
    from tensorstone.ledger.ledger import Ledger
    from tensorstone.report.machine import machine_json
    from tensorstone.runtime.machine import this_machine
    from tensorstone.session import noise, watch
    from tensorstone.session.proving import prove_all
    from tensorstone.support.folders import data_dir

    entries = [entry for group, _, _ in groups for entry in group]
    with watch.proofs(len(entries)) as watcher:
        proofs = prove_all(entries, watcher, patience)
    machine = machine_json(this_machine(), noise.known(groups[0][2].threads))
    done = []
    with Ledger(data_dir() / "ledger.sqlite") as ledger:
        for group, samples, terms in groups:
            mine = {c.dialect: c for c in proofs if c.workload == group[0].workload.name}
            done.append(_train(group, mine, samples, terms, machine, ledger))
            if not as_json:
                _show(done[-1], machine, ledger)
    if as_json:
        _print(done, machine)
    cells = [trained.cell for training in done for trained in training.cells]
    failed = any(cell.fell_short for cell in cells)
    if failed or any(cell.life and not cell.life.ok for cell in cells):
        raise typer.Exit(1)


def _train(
    group: list[Entry],
    proofs: dict[str, Any],
    samples: Real,
    terms: Terms,
    machine: dict[str, Any],
    ledger: Ledger,
) -> Training:
    from tensorstone.session import watch_training
    from tensorstone.session.training import train

    with watch_training.trainings(group[0].workload, terms) as watcher:
        return train(group, proofs, samples, terms, machine, ledger, watcher)


def _show(training: Training, machine: dict[str, Any], ledger: Ledger) -> None:
    from tensorstone.cli.console import out
    from tensorstone.report.deployment import life_table
    from tensorstone.report.training import footnotes, training_table

    console = out()
    if trained := [trained.cell for trained in training.cells if trained.curve]:
        console.print(training_table(training), "")
        console.print(life_table("After training", trained), "")
    for line in footnotes(training, machine, ledger.path):
        console.print(line, markup=False)


def _print(done: list[Training], machine: dict[str, Any]) -> None:
    from tensorstone.cli.console import print_json

    runs = [training.to_json() for training in done]
    cells = [trained.to_json() for training in done for trained in training.cells]
    print_json("train", machine=machine, runs=runs, cells=cells)
