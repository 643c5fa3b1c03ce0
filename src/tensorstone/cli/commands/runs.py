"""`stone runs`: what was measured, a line each."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import Json


def command(
    limit: Annotated[
        int, typer.Option("-n", "--limit", min=0, help="How many, the latest first; 0 is all.")
    ] = 20,
    as_json: Json = False,
) -> None:
    """List the runs in the ledger, the latest first.

    Examples:

        stone runs

        stone runs --limit 0 --json
    """
    from tensorstone.cli.console import out, print_json
    from tensorstone.report.runs import runs_json, runs_table
    from tensorstone.session import reading
    from tensorstone.session.running import open_ledger

    with open_ledger() as ledger:
        found = reading.summaries(ledger, limit or None)
        if as_json:
            print_json("runs", runs=runs_json(found), ledger=str(ledger.path))
        elif found:
            out().print(runs_table(found))
        else:
            print(f"No runs yet in {ledger.path}. Make one, for instance: stone compare lenet")
