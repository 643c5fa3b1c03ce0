"""The commands, gathered. Only signatures are loaded here: each command's work is imported when
it runs, so that `stone --help` and `stone list` answer at once."""

from __future__ import annotations

import typer

from tensorstone import __version__
from tensorstone.cli import env
from tensorstone.cli.commands import compare, data, doctor, listing, prove, train, translate

app = typer.Typer(
    name="stone",
    help="The Rosetta Stone and the referee of deep-learning frameworks: a model is written once, "
    "said in every framework's own idiom, proven to compute the same numbers, and only then timed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"stone {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


app.command("compare")(compare.command)
app.command("prove")(prove.command)
app.command("train")(train.command)
app.command("translate")(translate.command)
app.command("list")(listing.command)
app.command("doctor")(doctor.command)
app.add_typer(env.app, name="env")
app.add_typer(data.app, name="data")
