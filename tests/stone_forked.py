"""`stone` for many tests, its modules read once: each command is a fork, so a process of its own.

Started with two pipes. A line asks for a command; the answer is how it ended. Modules that commands
read late are read here before: that they are read late is tested with processes of their own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import resource
import sys
import threading
import traceback
from typing import Any, NoReturn

from framework_access import refuse_others

from tensorstone.cli import main

# What commands read when they begin their work. No drawing: few tests do, and it takes long.
READ_ONCE = (
    *("cli.app", "cli.console", "cli.options", "cli.printing", "cli.source", "cli.tables"),
    *("session.asking", "session.comparing", "session.data_sets", "session.environments"),
    *("session.examining", "session.lists", "session.noise", "session.prove", "session.reading"),
    *("session.tending", "session.terminal", "session.training", "session.translating"),
    *("report.as_json", "report.showing", "report.runs", "report.diff", "analysis.diff"),
)
THIRD_PARTY = (
    "jinja2",
    "numpy.random",
    "platformdirs",
    "rich.progress",
    "rich.table",
    "typer.rich_utils",
)


def read_modules() -> None:
    for name in THIRD_PARTY:
        importlib.import_module(name)
    for name in READ_ONCE:
        importlib.import_module(f"tensorstone.{name}")


def serve(asked: int, answers: int) -> None:
    """Comes back in each fork, as the process that is to be the command; ends when nobody asks."""
    with os.fdopen(asked, encoding="ascii") as lines, os.fdopen(answers, "w") as said:
        for line in lines:
            if not (pid := os.fork()):
                become(json.loads(line))
                return
            said.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
            said.flush()
    sys.exit()


def become(wanted: dict[str, Any]) -> None:
    """The process that would have been started with these words, in that folder."""
    for number, path in ((1, wanted["out"]), (2, wanted["err"])):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(wanted["folder"])
    os.environ.clear()
    os.environ.update(wanted["environment"])
    sys.argv[1:] = wanted["words"]
    if wanted["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (wanted["memory"], wanted["memory"]))


def ended() -> int:
    """The exit code of the command: what Python says at its own end."""
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def leave(code: int) -> NoReturn:
    """Without taking apart what was read: that would take longer than most commands."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        print(f"standard output was not written: {error}", file=sys.stderr)
        code = 120
    os._exit(code)


if __name__ == "__main__":
    refuse_others()
    read_modules()
    gc.freeze()
    serve(*map(int, sys.argv[1:]))
    leave(ended())
