"""`stone translate`: the program's source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tensorstone.cli.options import All, Json, words
from tensorstone.support.errors import StoneError


def command(
    workload: Annotated[
        str, typer.Argument(metavar="WORKLOAD", help="A name, or your own file: ./mine.py")
    ],
    to: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="A,B,…", help="Dialects or frameworks to write it in."),
    ] = None,
    every: All = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the programs there as files.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a workload as a program in a framework's own idiom.

    The program runs by itself with only that framework and NumPy installed.

    Examples:

        stone translate lenet --to pytorch/eager

        stone translate googlenet --to mxnet,jax --out programs/

        stone translate ./mine.py --all --json
    """
    from tensorstone.dialects.emit import Unsupported, emit, file_name
    from tensorstone.dialects.registry import select
    from tensorstone.models.load import find

    found = find(workload)
    if not to and not every:
        raise StoneError(
            "which dialect should it be written in?", "for instance: --to pytorch/eager"
        )
    cells = []
    for dialect in select(words(to), everything=every):
        cell = {"workload": found.name, "dialect": dialect.name, "framework": dialect.framework}
        try:
            source = emit(found, dialect)
        except Unsupported as reason:
            cells.append({**cell, "status": "unsupported", "reason": str(reason), "source": None})
        else:
            name = file_name(found, dialect)
            cells.append({**cell, "status": "ok", "reason": "", "source": source, "file": name})
    _show(cells, out, as_json)
    if any(cell["status"] != "ok" for cell in cells):
        raise typer.Exit(1)


def _show(cells: list[dict[str, str | None]], folder: Path | None, as_json: bool) -> None:
    from tensorstone.cli.console import err, print_json
    from tensorstone.cli.source import print_source

    if folder is not None:
        _write(cells, folder)
    if as_json:
        print_json("translate", cells=cells)
        return
    for cell in cells:
        source = cell["source"]
        if source is None:
            err().print(f"{cell['dialect']}: unsupported: {cell['reason']}", markup=False)
        elif folder is not None:
            err().print(f"{folder / str(cell['file'])}", markup=False)
        else:
            if len(cells) > 1:
                print(f"# ── {cell['file']} " + "─" * 20)
            print_source(source)


def _write(cells: list[dict[str, str | None]], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for cell in cells:
            if cell["source"] is not None:
                (folder / str(cell["file"])).write_text(cell["source"], encoding="utf-8")
    except OSError as error:
        raise StoneError(
            f"cannot write to {folder}: {error.strerror}", "choose another --out"
        ) from None
