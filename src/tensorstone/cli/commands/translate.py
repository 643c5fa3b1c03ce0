"""`stone translate`: the program's source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tensorstone.cli import completion
from tensorstone.cli.options import All, Json, words
from tensorstone.support.errors import StoneError

if TYPE_CHECKING:
    from tensorstone.session.translating import Translation


def command(
    workload: Annotated[
        str,
        typer.Argument(
            metavar="WORKLOAD",
            help="A name, or your own file: ./mine.py",
            autocompletion=completion.workloads,
        ),
    ],
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="A,B,…",
            help="Dialects or frameworks to write it in.",
            autocompletion=completion.dialects,
        ),
    ] = None,
    every: All = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the programs there as files.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a workload as a program in a framework's own idiom.

    The program runs by itself with only that framework and NumPy installed: stone run-program does
    so. A dialect that cannot say the workload is named with the reason; the exit code is 1 only if
    no program could be written.

    Examples:

        stone translate lenet --to pytorch/eager

        stone translate googlenet --to mxnet,jax --out programs/

        stone translate ./mine.py --all --json
    """
    from tensorstone.cli.console import say_warning
    from tensorstone.session import asking
    from tensorstone.session.translating import translations

    (found,) = asking.workloads(workload, say_warning)
    if not to and not every:
        raise StoneError(
            "no dialect is named", "name one, such as --to pytorch/eager, or give --all"
        )
    done = translations(found, asking.dialects(words(to), everything=every))
    _show(done, out, as_json)
    # As in `prove`: what a framework cannot say is no failure, but nothing at all is.
    wrong = [one for one in done if one.outcome.status not in ("ok", "unsupported")]
    if wrong or not any(one.outcome.ok for one in done):
        raise typer.Exit(1)


def _show(done: Sequence[Translation], folder: Path | None, as_json: bool) -> None:
    from tensorstone.cli.console import err, print_json
    from tensorstone.cli.source import print_source

    if folder is not None:
        _write(done, folder)
    if as_json:
        print_json("translate", cells=[_cell(one) for one in done])
        return
    for one in done:
        if one.source is None:
            said = f"{one.dialect}: {one.outcome.status}: {one.outcome.reason}"
            err().print(said, markup=False)
        elif folder is not None:
            err().print(f"{folder / one.file}", markup=False)
        else:
            if len(done) > 1:
                print(f"# ── {one.file} " + "─" * 20)
            print_source(one.source)


def _cell(one: Translation) -> dict[str, str | None]:
    named = {"workload": one.workload, "dialect": one.dialect, "framework": one.framework}
    ended = {"status": one.outcome.status, "reason": one.outcome.reason, "source": one.source}
    return {**named, **ended, **({"file": one.file} if one.file else {})}


def _write(done: Sequence[Translation], folder: Path) -> None:
    from tensorstone.support.whole_file import write_whole

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoneError(
            f"cannot write to {folder}: {error.strerror}", "choose another --out"
        ) from None
    for one in done:
        if one.source is not None:
            write_whole(folder / one.file, one.source.encode())
