"""`stone doctor`: is this machine fit to measure on?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tensorstone.cli.options import Json

MARKS = {"good": "[green]✓[/]", "note": "[dim]·[/]", "warning": "[yellow]![/]", "bad": "[red]✗[/]"}


def command(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Only look, for a second; do not measure the noise floor."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at the machine, measure its noise, and say what would make numbers better.

    Examples:

        stone doctor

        stone doctor --quick --json
    """
    from rich.markup import escape

    from tensorstone.cli.console import out, print_json
    from tensorstone.report.machine import machine_json
    from tensorstone.runtime.machine import this_machine
    from tensorstone.session import noise, watch
    from tensorstone.session.doctor import examine, watching
    from tensorstone.session.entries import processors
    from tensorstone.support.machine_lock import undisturbed

    with watch.looks("watching this machine", watching.LOOKS) as tick:
        watched = watching.watch(tick)
    found = noise.known(len(processors()))
    if not quick:
        label = "measuring this machine's noise"
        with undisturbed(), watch.race(label, noise.SETTINGS.budget_s) as watcher:
            found = noise.measure(len(processors()), watcher)
    machine = this_machine()
    findings = examine(machine, found, watched)
    if as_json:
        print_json(
            "doctor",
            machine=machine_json(machine, found),
            findings=[asdict(finding) for finding in findings],
            noise=asdict(found) if found else None,
        )
    else:
        console = out()
        for finding in findings:
            console.print(f"{MARKS[finding.state]} {finding.what}: {escape(finding.found)}")
            if finding.advice:
                console.print(f"    {escape(finding.advice)}", style="dim")
    if any(finding.state == "bad" for finding in findings):
        raise typer.Exit(1)
