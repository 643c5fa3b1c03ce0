"""The commands, gathered. Only signatures are loaded here: each command's work is imported when
it runs, so that `stone --help` and `stone list` answer at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import typer

from tensorstone.cli import env
from tensorstone.cli.commands import (
    compare,
    data,
    describe,
    diff,
    doctor,
    export,
    ledger,
    listing,
    prove,
    run_program,
    runs,
    show,
    train,
    translate,
)
from tensorstone.support.version import VERSION

app = typer.Typer(
    name="stone",
    help="The Rosetta Stone and the referee of deep-learning frameworks: one model, written in "
    "each framework's own idiom, proven to compute the same numbers, and only then timed.",
    epilog="Exit codes: 0 done (what a framework does not support is no failure), 1 something "
    "measured fell short or nothing could be done, 2 bad usage, 3 another stone is timing on this "
    "machine, 130 interrupted by Ctrl-C. run-program answers its program's own.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"stone {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    pass


COMMANDS: dict[str, Callable[..., None]] = {
    "compare": compare.command,
    "prove": prove.command,
    "train": train.command,
    "translate": translate.command,
    "describe": describe.command,
    "run-program": run_program.command,
    "runs": runs.command,
    "show": show.command,
    "diff": diff.command,
    "export": export.command,
    "list": listing.command,
    "doctor": doctor.command,
}
GROUPS = {"env": env.app, "data": data.app, "ledger": ledger.app}


def gather(words: Sequence[str]) -> typer.Typer:
    """The commands; the one alone that is asked for, since reading all signatures takes time."""
    wanted = words[0] if words and words[0] in {*COMMANDS, *GROUPS} else None
    for name, command in COMMANDS.items():
        if wanted in (None, name):
            app.command(name, help=help_text(command.__doc__))(command)
    for name, group in GROUPS.items():
        if wanted in (None, name):
            for one in group.registered_commands:
                one.help = help_text(one.help or (one.callback and one.callback.__doc__))
            app.add_typer(group, name=name)
    return app


def help_text(docstring: str | None) -> str:
    """A docstring as `--help` shows it: each paragraph one line, for the terminal to wrap."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(
        text if text.startswith(" ") else " ".join(text.split("\n")) for text in paragraphs
    )
