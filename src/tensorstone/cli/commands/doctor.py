"""`stone doctor`: is this machine fit to measure on?"""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli.options import Json, said


def command(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Check the machine for one second only; do not measure the noise floor."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at the machine, measure its noise, and say what would make numbers better.

    Examples:

        stone doctor

        stone doctor --quick --json
    """
    from tensorstone.cli.printing import print_results, printing
    from tensorstone.session.examining import doctor
    from tensorstone.session.running import open_ledger

    with open_ledger() as ledger:
        found = doctor(quick, ledger, printing(ledger.path, as_json), said())
        print_results("doctor", [found], as_json)
