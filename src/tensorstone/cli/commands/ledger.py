"""`stone ledger`: another machine's runs beside yours, and runs forgotten."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tensorstone.cli.options import Json

if TYPE_CHECKING:
    from tensorstone.session.tending import Merged

app = typer.Typer(help="Merge ledgers and forget runs.", no_args_is_help=True)


@app.command()
def merge(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Another machine's ledger.sqlite.")
    ],
    as_json: Json = False,
) -> None:
    """Copy the runs of other ledgers into yours; runs that are already there are skipped.

    The other file stays as it is. A run that was unfinished here and is finished there is
    replaced.

    Examples:

        stone ledger merge ~/laptop/ledger.sqlite

        stone ledger merge a/ledger.sqlite b/ledger.sqlite --json
    """
    from tensorstone.cli.console import print_json
    from tensorstone.session import tending
    from tensorstone.session.running import open_ledger

    done = {}
    with open_ledger() as ledger:
        for file in files:
            done[str(file)] = merged = tending.merge(ledger, file)
            if not as_json:
                print(f"{file}: {_merged(merged)}")
    if as_json:
        print_json("ledger", merged=done)


@app.command()
def forget(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN…", help="A number, `latest`, 3-6, or the beginning of an id."),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Remove runs for good, with the programs and proofs that no other run has.

    Examples:

        stone ledger forget 12

        stone ledger forget 3-6 --yes
    """
    from tensorstone.cli.console import err, print_json
    from tensorstone.report.runs import runs_table
    from tensorstone.session import tending
    from tensorstone.session.running import open_ledger

    with open_ledger() as ledger:
        found = tending.chosen(ledger, runs)
        if not yes:
            err().print(runs_table(found))
            _ask(len(found), as_json)
        tending.forget(ledger, found)
    numbers = sorted(one.facts.number for one in found)
    if as_json:
        print_json("ledger", forgotten=numbers)
    else:
        print(f"Forgotten: {_runs(numbers)}")


def _ask(count: int, as_json: bool) -> None:
    from tensorstone.support.errors import StoneError

    what = "this run" if count == 1 else f"these {count} runs"
    if as_json or not sys.stdin.isatty():
        raise StoneError(
            f"cannot ask whether to forget {what}: no terminal, or --json", "add --yes"
        )
    if not typer.confirm(f"Forget {what} for good?", err=True):
        raise StoneError("nothing was forgotten")


def _merged(merged: Merged) -> str:
    parts = []
    if merged.added:
        parts.append(f"added as {_runs(merged.added)}")
    if merged.completed:
        parts.append(f"completed: {_runs(merged.completed)}")
    if merged.known:
        parts.append(f"{merged.known} here already")
    return "; ".join(parts) or "it has no runs"


def _runs(numbers: tuple[int, ...] | list[int]) -> str:
    return f"run{'s' * (len(numbers) != 1)} {', '.join(map(str, numbers))}"
