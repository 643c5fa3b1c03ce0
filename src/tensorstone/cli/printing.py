"""Printing results: each as it is complete, or all as one JSON object; and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tensorstone.results.comparison import Assembled
    from tensorstone.session.terminal import Terminal


def printing(ledger: Path, as_json: bool) -> Terminal:
    """The watch of a command that shows each result as it is complete, unless JSON is asked for;
    `ledger` is the file they are kept in."""
    from tensorstone.cli.console import show
    from tensorstone.report.showing import shown
    from tensorstone.session.terminal import Terminal

    if as_json:
        return Terminal()
    said: set[str] = set()
    return Terminal(lambda result: show(shown(result, ledger, said)))


def print_results(
    command: str,
    results: Sequence[Assembled],
    as_json: bool,
    plots: Sequence[Path] = (),
    plot: Path | None = None,
    arrays: bool = False,
) -> None:
    """What comes after the last result, or everything as JSON; and the pictures that `plot` asks
    for. Ends with exit code 1 if something measured fell short."""
    from tensorstone.cli.console import print_json, show
    from tensorstone.report.as_json import results_json
    from tensorstone.report.showing import plain, swept

    plots = [*plots, *_drawn(results, plot)]
    if as_json:
        said = results_json(results, arrays)
        print_json(command, **said, **({"plots": [str(plot) for plot in plots]} if plots else {}))
    else:
        show(swept(results))
        show(plain(f"As a picture: {plot}") for plot in plots)
    if any(fell_short(result) for result in results):
        raise typer.Exit(1)


def _drawn(results: Sequence[Assembled], plot: Path | None) -> list[Path]:
    if plot is None:
        return []
    from tensorstone.cli.console import say_note
    from tensorstone.report.messages import NOTHING_TO_DRAW
    from tensorstone.report.pictures import save

    written = save(results, plot)
    if not written:
        say_note(NOTHING_TO_DRAW)
    return written


def fell_short(result: Assembled) -> bool:
    """Whether a cell of it did, or what came after its training."""
    from tensorstone.results.comparison import Examination

    if isinstance(result, Examination):
        return any(finding.state == "bad" for finding in result.findings)
    return any(
        cell.fell_short or (cell.deployment is not None and not cell.deployment.ok)
        for cell in result.cells
    )
