"""Options that several commands share, said once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tensorstone.cli import completion


def _picture(path: Path | None) -> Path | None:
    if path is not None:
        from tensorstone.report.pictures import check

        check(path)
    return path


Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")
]
Workloads = Annotated[
    list[str],
    typer.Argument(
        metavar="WORKLOAD…",
        help="A name from `stone list workloads`, or your own file: ./mine.py",
        autocompletion=completion.workloads,
    ),
]
Dialects = Annotated[
    list[str] | None,
    typer.Option(
        "--dialects",
        "-d",
        metavar="A,B,…",
        help="Dialects (pytorch/eager) or whole frameworks (mxnet), with commas between.",
        autocompletion=completion.dialects,
    ),
]
Lane = Annotated[
    str | None,
    typer.Option(metavar="LANE", help="Only this lane: idiomatic or tuned."),
]
Timeout = Annotated[
    str,
    typer.Option(metavar="TIME", help="Time limit for each request to a program: 90s, 10m."),
]
NamedRuns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN…]",
        help="A number, `latest`, 3-6, or the beginning of an id; by default all runs of the "
        "latest command.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write a picture too: .svg, .png or .html; several are numbered.",
        callback=_picture,
    ),
]
All = Annotated[bool, typer.Option("--all", help="Every dialect of every framework.")]


def words(given: list[str] | None) -> list[str]:
    """`a,b, c`, given once or several times, as a list."""
    together = ",".join(given or [])
    return [word for word in together.replace(" ", ",").split(",") if word]


def said() -> tuple[str, ...]:
    """The command as it was typed, for the ledger."""
    return ("stone", *sys.argv[1:])
