"""Where words go: results to standard output, progress and messages to standard error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDTH = 100  # where there is no terminal
SCHEMA = 1


def width() -> int:
    """The terminal's, however wide: tables take what they need of it."""
    return shutil.get_terminal_size((WIDTH, 40)).columns


def out() -> Console:
    """Results. Plain text, as wide as tables need, when not a terminal."""
    from rich.console import Console

    return Console(width=width(), highlight=False, emoji=False)


def err() -> Console:
    """Progress, notes and errors."""
    from rich.console import Console

    return Console(stderr=True, width=width(), highlight=False, emoji=False)


def show(parts: Iterable[RenderableType]) -> None:
    """Print a result part by part."""
    console = out()
    for part in parts:
        console.print(part)


def print_json(command: str, **fields: Any) -> None:
    """The one object a command prints with `--json`."""
    print(as_json({"schema": SCHEMA, "command": command, **fields}), flush=True)


def as_json(value: Any) -> str:
    """JSON that any reader takes: no infinities, no half characters."""
    from tensorstone.results.codec import plain, to_json

    try:
        return to_json(value)
    except UnicodeEncodeError:
        return to_json(_whole(plain(value)))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def say_error(message: str, hint: str = "") -> None:
    """What happened and what to do next; as JSON too when JSON was asked for."""
    if "--json" in sys.argv:
        command = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        print_json(command, error={"message": message, "hint": hint})
    mark = "\033[31merror:\033[0m" if sys.stderr.isatty() else "error:"
    _say(f"{mark} {message}")
    if hint:
        _say(f"  {hint}")


def say_warning(message: str, hint: str) -> None:
    """What is nearly always a mistake, though it can be done."""
    mark = "\033[33mwarning:\033[0m" if sys.stderr.isatty() else "warning:"
    _say(f"{mark} {message}")
    _say(f"  {hint}")


def say_note(line: str) -> None:
    """Something to know, which is no mistake."""
    _say(line)


def _say(line: str) -> None:
    """Whatever the terminal can write."""
    encoding = sys.stderr.encoding or "utf-8"
    print(line.encode(encoding, "replace").decode(encoding), file=sys.stderr)
