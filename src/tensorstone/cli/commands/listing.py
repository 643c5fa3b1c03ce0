"""`stone list`: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import Json


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[WHAT]", help="workloads, dialects, versions, layers, deviations or data"
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """List what stone knows: workloads, dialects, other versions of frameworks, layers, real data
    sets, and the deviations a proof can name.

    Examples:

        stone list

        stone list dialects

        stone list workloads --json
    """
    from tensorstone.cli.console import out, print_json
    from tensorstone.cli.tables import table_of
    from tensorstone.session.lists import lists

    found = lists(what)
    if as_json:
        print_json("list", **found)
        return
    console = out()
    for name, rows in found.items():
        console.print(table_of(name, rows), "")
