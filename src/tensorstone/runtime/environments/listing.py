"""Which environments there are, in what state, and how to be rid of them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tensorstone.runtime.environments import disk, interpreters, locked, system
from tensorstone.runtime.environments.environment import MARKER, all_homes, find, home, lock_file
from tensorstone.runtime.spec import EnvironmentSpec
from tensorstone.support.file_lock import file_locked

State = Literal["installed", "not-installed", "missing-interpreter", "missing-package", "broken"]


@dataclass(frozen=True)
class Status:
    """One framework's environment as it stands."""

    framework: str
    state: State
    version: str  # installed, or what would be
    python: str
    path: Path
    size_bytes: int  # on disk now, older versions of it included
    download_bytes: int  # what installing would fetch
    next: str  # the command that would make it usable, if it is not


def status(framework: EnvironmentSpec) -> Status:
    """The state of one framework's environment."""
    if not framework.python:
        ready = find(framework)
        assert ready
        return Status(framework.name, "installed", "", ready.python_version, ready.path, 0, 0, "")
    lock = locked.read(framework.lock)
    folder = home(framework)
    ready = find(framework)
    state, command = _state(framework, folder)
    others = disk.measure(path for path in all_homes(framework) if not ready or path != folder)
    return Status(
        framework=framework.name,
        state=state,
        version=ready.version if ready else lock.packages.get(framework.package, framework.pin),
        python=ready.python_version if ready else framework.python,
        path=folder,
        size_bytes=others.total + (ready.size_bytes if ready else 0),
        download_bytes=0 if ready else lock.sizes.download,
        next=command,
    )


def remove(framework: EnvironmentSpec) -> disk.Space:
    """Remove the framework's environments, older ones too; the space they took."""
    folders = all_homes(framework)
    space = disk.measure(folders)
    for folder in folders:
        with file_locked(lock_file(folder)):
            # The marker goes first: what is half removed must not look whole.
            (folder / MARKER).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
    return space


def _state(framework: EnvironmentSpec, folder: Path) -> tuple[State, str]:
    if find(framework):
        return "installed", ""
    install = f"stone env install {framework.name}"
    try:
        interpreters.find(framework.python)
    except interpreters.MissingInterpreter as missing:
        return "missing-interpreter", missing.command
    if needs := system.missing(framework):
        return "missing-package", system.command(needs)
    return ("broken" if folder.exists() else "not-installed"), install
