"""The command line. Each command is a file; what they share is in `console.py` and `options.py`."""

from __future__ import annotations

import errno
import gc
import os
import sys
from io import TextIOWrapper

from tensorstone.support.errors import StoneError

INTERRUPTED = 130  # what typer answers to Ctrl-C
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # full, over quota, broken


def main() -> None:
    """Run the command line; what goes wrong is a message and an exit code, never a traceback."""
    gc.set_threshold(50_000)  # collecting while modules load is a tenth of a short command's time
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of few letters gets ? for the others
    try:
        _run()
    except KeyboardInterrupt:  # before typer or after it, which answers it by itself
        _say_interrupted()
        sys.exit(INTERRUPTED)


def _run() -> None:
    import typer

    from tensorstone.cli.app import gather
    from tensorstone.cli.console import say_error

    # typer carries its own copy of click; this is the class of every mistake in a command's words.
    wrong_usage: type[Exception] = typer.BadParameter.__bases__[0]
    try:
        code = gather(sys.argv[1:])(prog_name="stone", standalone_mode=False)
        if code == INTERRUPTED:
            _say_interrupted()
        sys.exit(code)
    except StoneError as error:
        say_error(error.message, error.hint)
        sys.exit(error.exit_code)
    except wrong_usage as usage:
        _explain(usage)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away; nobody is left to tell
    except OSError as error:
        if error.errno not in DISK:
            raise
        _discard_output()
        say_error(
            f"the output cannot be written: {error.strerror}",
            "make room on its disk; results are kept: see stone runs",
        )
        sys.exit(2)


def _say_interrupted() -> None:
    from tensorstone.cli.console import say_error

    say_error("interrupted", "what was measured is kept; give the same command to go on")


def _discard_output() -> None:
    """What is still waiting to be written would fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _explain(usage: Exception) -> None:
    from tensorstone.cli.console import say_error

    context = getattr(usage, "ctx", None)
    if type(usage).__name__ == "NoArgsIsHelpError" and context is not None:
        context.get_help()  # which prints it
        return
    path = context.command_path if context is not None else "stone"
    message = usage.format_message()  # type: ignore[attr-defined]
    say_error(message, f"see: {path} --help")
