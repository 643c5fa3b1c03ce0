"""Finding a CPython of a given minor version. Nothing is believed before it has been run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tensorstone.runtime import messages
from tensorstone.runtime.environments import uv
from tensorstone.support.errors import StoneError

# Python 2 and 3.6 can say this too. A venv's python names the interpreter it was made from.
_ASK = (
    "import platform, sys; "
    "print(platform.python_implementation(), platform.python_version(), "
    "getattr(sys, '_base_executable', None) or sys.executable)"
)


@dataclass(frozen=True)
class Interpreter:
    """A CPython that answered."""

    path: Path
    version: str  # "3.11.7"


class MissingInterpreter(StoneError):
    """No CPython of that version is on this machine; the hint is the command that gets it."""

    def __init__(self, minor: str) -> None:
        self.minor = minor
        self.command = _command_to_get(minor)
        super().__init__(*messages.no_interpreter(minor, self.command))


@cache
def find(minor: str) -> Interpreter:
    """The first working CPython of that minor version ("3.11"), or `MissingInterpreter`."""
    for candidate in candidates(minor):
        interpreter = probe(candidate)
        if interpreter and interpreter.version.startswith(minor + "."):
            return interpreter
    raise MissingInterpreter(minor)


def candidates(minor: str) -> Iterator[Path]:
    """Places worth asking, cheapest first."""
    if "{}.{}".format(*sys.version_info[:2]) == minor:
        yield Path(sys.executable)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if (path := Path(folder or ".") / f"python{minor}").is_file():
            yield path.absolute()
    yield from sorted(pyenv_versions().glob(f"{minor}.*/bin/python"), key=_patch, reverse=True)
    yield from _found_by_uv(minor)


def probe(path: Path) -> Interpreter | None:
    """What this file answers when asked who it is; None if it is not a working CPython.

    Version managers put shims on PATH that exist for every version and fail when run.
    """
    try:
        answer = subprocess.run(
            [path, "-I", "-c", _ASK],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
            text=True,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    implementation, _, rest = answer.stdout.strip().partition(" ")
    version, _, executable = rest.partition(" ")
    if answer.returncode or implementation != "CPython" or not executable:
        return None
    return Interpreter(Path(executable), version)


def pyenv_versions() -> Path:
    root = os.environ.get("PYENV_ROOT")
    return (Path(root) if root else Path.home() / ".pyenv") / "versions"


def _patch(python: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in python.parts[-3].split(".") if part.isdigit())


def _found_by_uv(minor: str) -> Iterator[Path]:
    answer = subprocess.run(
        [uv.binary(), "python", "find", "--no-python-downloads", "--no-project", minor],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if answer.returncode == 0 and answer.stdout.strip():
        yield Path(answer.stdout.strip())


def _command_to_get(minor: str) -> str:
    if not shutil.which("uv") and pyenv_versions().is_dir():
        return f"pyenv install {minor}"
    command = "uv" if shutil.which("uv") else uv.binary()
    return f"{command} python install {minor}"
