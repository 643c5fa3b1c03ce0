"""A framework's environment on this disk: its folder, and the marker that says it is whole."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict as asfields

from tensorstone.results.codec import Damaged, from_json
from tensorstone.runtime.environments import furnishing, locked
from tensorstone.runtime.spec import EnvironmentSpec
from tensorstone.support import folders

MARKER = "complete.json"


@dataclass(frozen=True)
class Environment:
    """A whole environment: the interpreter to run a framework's programs with."""

    framework: str
    path: Path
    python: Path
    version: str  # the framework's own: "2.13.0+cpu"
    python_version: str = ""  # "3.11.7"
    fingerprint: str = ""  # changes with any pin: part of the identity of what is measured
    packages: Mapping[str, str] = field(default_factory=dict)
    size_bytes: int = 0
    seconds: float = 0.0  # what making it took


class _Marked(Struct):
    """What the marker says: an environment without its place."""

    framework: str
    version: str
    python_version: str = ""
    fingerprint: str = ""
    packages: dict[str, str] = {}
    size_bytes: int = 0
    seconds: float = 0.0


def fingerprint(framework: EnvironmentSpec) -> str:
    """Twelve hex digits that change with anything that is in the environment."""
    lock = locked.read(framework.lock)
    return lock.fingerprint(framework.python, furnishing.fingerprint(framework))


def home(framework: EnvironmentSpec) -> Path:
    """The folder of this framework's environment, named for exactly what is in it."""
    return folders.envs_dir() / f"{framework.name}-{fingerprint(framework)}"


def all_homes(framework: EnvironmentSpec) -> list[Path]:
    """Every folder of this framework, those of older locks included, and broken ones."""
    name = re.compile(re.escape(framework.name) + r"-[0-9a-f]{12}(\.downloads)?")
    return sorted(path for path in folders.envs_dir().iterdir() if name.fullmatch(path.name))


def lock_file(folder: Path) -> Path:
    """What is held while an environment's folder, or its downloads, are written or removed."""
    return folder.with_name(f".{folder.name.removesuffix('.downloads')}.lock")


def find(framework: EnvironmentSpec) -> Environment | None:
    """The framework's environment if it is whole; nothing is run and nothing is made."""
    if not framework.python:
        return own(framework)
    folder = home(framework)
    try:
        said = from_json(_Marked, (folder / MARKER).read_bytes())
    except (OSError, Damaged):
        return None
    found = Environment(**asfields(said), path=folder, python=folder / "bin" / "python")
    return found if found.python.exists() else None  # its base interpreter may have been removed


def own(framework: EnvironmentSpec) -> Environment:
    """Stone's own interpreter, for a room that asks for no other."""
    return Environment(
        framework=framework.name,
        path=Path(sys.prefix),
        python=Path(sys.executable),
        version="",
        python_version="{}.{}.{}".format(*sys.version_info[:3]),
    )


def mark_complete(environment: Environment) -> None:
    """Write the marker: the very last act of an installation, and all of it or nothing."""
    said = asdict(environment)
    del said["path"], said["python"]
    draft = environment.path / (MARKER + ".draft")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(said, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(environment.path / MARKER)
