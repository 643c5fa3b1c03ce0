"""`stone env`: the frameworks' environments, made, listed and removed."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tensorstone.support.errors import StoneError

app = typer.Typer(
    help="Install, list and remove the frameworks' environments.", no_args_is_help=True
)

Names = Annotated[list[str], typer.Argument(metavar="FRAMEWORK…|all", help="Which frameworks.")]
System = Annotated[
    bool,
    typer.Option(
        "--system", help="First get the system packages they need, with apt-get (as root, or sudo)."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before removing all.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

_INSTALL = """Install environments: each framework at its pinned version, on the Python it needs.

Examples:

  stone env install pytorch jax

  stone env install all

  stone env install mxnet@1.3.1

  stone env install --system cntk
"""
_LIST = """List the environments: their state, version, size and place.

Examples:

  stone env list

  stone env list --json
"""
_REMOVE = """Remove environments and give their space back. Before it removes all it asks; outside a
terminal it needs --yes.

Examples:

  stone env remove mxnet

  stone env remove all --yes
"""


@app.command(help=_INSTALL)
def install(names: Names, with_system: System = False, as_json: AsJson = False) -> None:
    from tensorstone.session import environments
    from tensorstone.support.progress import for_stderr

    began = time.monotonic()
    rows = environments.install(names, with_system, for_stderr, _failed)
    _show("env install", rows, as_json, time.monotonic() - began)
    if any(row["reason"] for row in rows):
        raise typer.Exit(1)


def _failed(error: StoneError) -> None:
    print(f"{error.message}\n{error.hint}", file=sys.stderr)


@app.command("list", help=_LIST)
def list_(as_json: AsJson = False) -> None:
    from tensorstone.session import environments

    _show("env list", environments.listed(), as_json)


@app.command(help=_REMOVE)
def remove(names: Names, yes: Yes = False, as_json: AsJson = False) -> None:
    from tensorstone.session import environments
    from tensorstone.support.progress import size

    if "all" in names and not yes:
        _ask(environments.named_rows(names), as_json)
    rows = []
    for row in environments.remove(names):
        rows.append(row)
        if not as_json:
            freed = row["freed_bytes"]
            there = freed + row["linked_bytes"]
            print(f"{row['framework']}:", f"{size(freed)} given back" if there else "not there")
    if as_json:
        _show("env remove", rows, as_json)
        return
    print(f"{size(sum(row['freed_bytes'] for row in rows))} given back in all")
    if linked := sum(row["linked_bytes"] for row in rows):
        print(f"uv's cache still holds the other {size(linked)}: `uv cache clean` frees them too")


def _ask(rows: list[dict[str, Any]], as_json: bool) -> None:
    """Whether all of them shall go. Nobody is asked outside a terminal."""
    from tensorstone.support.errors import StoneError
    from tensorstone.support.progress import size

    there = [row for row in rows if row["size_bytes"]]
    count = f"{len(there)} environment{'s' * (len(there) != 1)}"
    what = f"{count}, {size(sum(row['size_bytes'] for row in there))}"
    if as_json or not _can_ask():
        raise StoneError(
            f"cannot ask whether to remove all ({what}): no terminal, or --json", "add --yes"
        )
    if not typer.confirm(f"Remove {what}?", err=True):
        raise StoneError("nothing was removed")


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _after(took_s: float | None) -> str:
    if took_s is None:
        return ""
    from tensorstone.support.durations import duration

    return f", after {duration(took_s)}"


def _show(
    command: str, rows: list[dict[str, Any]], as_json: bool, took_s: float | None = None
) -> None:
    total = sum(row["size_bytes"] for row in rows)
    if as_json:
        from tensorstone.cli.console import print_json

        took = {} if took_s is None else {"seconds": round(took_s, 2)}
        print_json(command, environments=rows, size_bytes=total, **took)
        return
    from rich.text import Text

    from tensorstone.cli.console import out
    from tensorstone.report.tables import table
    from tensorstone.support.progress import size

    shown = table("environments")
    for heading in ("framework", "state", "version", "Python"):
        shown.add_column(heading)
    for heading in ("on disk", "to download"):
        shown.add_column(heading, "right")
    for row in rows:
        cells = [row[key] for key in ("framework", "state", "version", "python")]
        cells += [size(row[key]) if row[key] else "" for key in ("size_bytes", "download_bytes")]
        shown.add_row(*map(Text, cells))
    out().print(shown)
    there = sum(row["state"] == "installed" for row in rows)
    print(f"{there} of {len(rows)} installed, {size(total)} on disk{_after(took_s)}")
    for row in rows:
        if row["next"]:
            print(f"to install {row['framework']}, run: {row['next']}")
