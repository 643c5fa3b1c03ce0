"""Where words go: results to standard output, progress and messages to standard error."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
SCHEMA = 1


def width() -> int:
    """The terminal's width, at most what a table is laid out for."""
    return min(WIDTH, shutil.get_terminal_size((WIDTH, 40)).columns)


def out() -> Console:
    """Results. Plain text, as wide as tables need, when not a terminal."""
    from rich.console import Console

    return Console(width=width(), highlight=False, emoji=False)


def err() -> Console:
    """Progress, notes and errors."""
    from rich.console import Console

    return Console(stderr=True, width=width(), highlight=False, emoji=False)


def print_json(command: str, **fields: Any) -> None:
    """The one object a command prints with `--json`."""
    print(json.dumps({"schema": SCHEMA, "command": command, **fields}, ensure_ascii=False))


def say_error(message: str, hint: str = "") -> None:
    """What happened and what to do next; as JSON too when JSON was asked for."""
    if "--json" in sys.argv:
        command = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        print_json(command, error={"message": message, "hint": hint})
    mark = "\033[31merror:\033[0m" if sys.stderr.isatty() else "error:"
    print(f"{mark} {message}", file=sys.stderr)
    if hint:
        print(f"  {hint}", file=sys.stderr)
