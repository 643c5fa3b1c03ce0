"""`stone describe`: what a workload is."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorstone.cli import completion
from tensorstone.cli.options import Json


def command(
    workload: Annotated[
        str,
        typer.Argument(
            metavar="WORKLOAD",
            help="A name from `stone list workloads`, or your own file: ./mine.py",
            autocompletion=completion.workloads,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Describe a workload: its layers with output shapes, parameters and multiplications, its
    recipe and its data. Nothing is installed or run.

    Examples:

        stone describe lenet

        stone describe ./mine.py --json
    """
    from tensorstone.cli.console import print_json, say_warning, show
    from tensorstone.report.description import description_parts
    from tensorstone.results.codec import plain
    from tensorstone.session import asking
    from tensorstone.session.describing import describe

    (found,) = asking.workloads(workload, say_warning)
    described = describe(found)
    if as_json:
        print_json("describe", **plain(described))
    else:
        show(description_parts(described))
