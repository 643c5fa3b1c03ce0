"""`stone diff`: two runs of one workload, cell by cell."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import Json


def command(
    old: Annotated[
        str,
        typer.Argument(metavar="OLD", help="A run: its number, `latest`, or how its id begins."),
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The run to compare with OLD.")],
    text: Annotated[
        bool, typer.Option("--text", help="Print how the programs' texts differ.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare two runs: how much faster or slower each cell became, and what was changed.

    Examples:

        stone diff 11 12

        stone diff 4f2a latest --text

        stone diff 11 12 --json
    """
    from tensorstone.cli.console import print_json, show
    from tensorstone.report.diff import difference_json, difference_parts
    from tensorstone.session import reading
    from tensorstone.session.running import open_ledger

    with open_ledger() as ledger:
        found = reading.difference(ledger, old, new)
    if as_json:
        print_json("diff", **difference_json(found, text))
    else:
        show(difference_parts(found, text))
