"""`stone export`: results for other tools, a row for each cell and figure."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tensorstone.cli.options import Json, NamedRuns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorstone.results.comparison import Assembled


class Format(StrEnum):
    md = "md"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def command(
    runs: NamedRuns = None,
    format: Annotated[
        Format, typer.Option("--format", "-f", help="Output format.", case_sensitive=False)
    ] = Format.csv,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="File to write; default: standard output."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Export results: one row for each cell and figure, with its interval, n, unit and machine.

    Examples:

        stone export --format md

        stone export 1-9 --format parquet --out results.parquet

        stone export latest --json
    """
    from tensorstone.session import reading
    from tensorstone.session.running import open_ledger
    from tensorstone.support.errors import StoneError

    chosen = Format.json if as_json else format
    if chosen is Format.parquet and out is None and sys.stdout.isatty():
        raise StoneError(
            "parquet is binary, and standard output is a terminal",
            "name a file, --out results.parquet, or send it on: stone export … | another program",
        )
    with open_ledger() as ledger:
        content = _content(chosen, reading.results(ledger, runs or []))
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    from tensorstone.support.whole_file import write_whole

    write_whole(out, content)
    print(f"{out}: {len(content):,} bytes", file=sys.stderr)


def _content(format: Format, results: Sequence[Assembled]) -> bytes:
    from tensorstone.report import tidy

    match format:
        case Format.md:
            return tidy.as_markdown(results).encode("utf-8", "replace")
        case Format.csv:
            return tidy.as_csv(results)
        case Format.parquet:
            return tidy.as_parquet(results)
        case Format.json:
            from tensorstone.cli.console import SCHEMA, as_json

            fields = {"schema": SCHEMA, "command": "export", "rows": tidy.as_records(results)}
            return f"{as_json(fields)}\n".encode()
