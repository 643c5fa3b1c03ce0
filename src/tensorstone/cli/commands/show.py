"""`stone show`: a run again, as it was shown when it was made."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import Json, NamedRuns, Plot


def command(
    runs: NamedRuns = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="All conditions, notes and figures of the run.")
    ] = False,
    proofs: Annotated[
        bool, typer.Option("--proofs", help="How each program was proven, array by array.")
    ] = False,
    program: Annotated[
        str, typer.Option(metavar="DIALECT", help="The program that was run in this dialect.")
    ] = "",
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Show what a run measured or proved, exactly as it was shown then.

    Examples:

        stone show

        stone show 12 --proofs

        stone show latest --program pytorch/eager

        stone show 12 --plot ranking.png

        stone show 3-6 --json
    """
    from tensorstone.cli.console import print_json, show
    from tensorstone.cli.printing import print_results
    from tensorstone.cli.source import print_source
    from tensorstone.report import details
    from tensorstone.report.showing import shown
    from tensorstone.session import reading
    from tensorstone.session.running import open_ledger

    with open_ledger() as ledger:
        wanted = runs or []
        if program:
            found = reading.program(ledger, wanted, program)
            if as_json:
                print_json("show", program=found)
            else:
                print_source(found.text)
            return
        if notes or proofs:
            records = [reading.record(ledger, str(n)) for n in reading.runs(ledger, wanted)]
            results = reading.results(ledger, wanted)
            if as_json:
                print_results("show", results, as_json, arrays=proofs)
                return
            for record, result in zip(records, results, strict=True):
                show(details.notes(record, result) if notes else ())
                show(details.proofs(result) if proofs else ())
            return
        results = reading.results(ledger, wanted)
        if not as_json:
            said: set[str] = set()
            for result in results:
                show(shown(result, ledger.path, said))
        print_results("show", results, as_json, plot=plot)
