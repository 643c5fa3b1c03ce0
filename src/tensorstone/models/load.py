"""Finding a workload: a name in the catalogue, or a person's own file.

A file is executed because it was asked for by path, never because it lies somewhere.
"""

from __future__ import annotations

import importlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tensorstone.models import messages
from tensorstone.models.mistakes import as_error
from tensorstone.models.statements import run
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean, same_name
from tensorstone.support.stdout import to_stderr

CATALOGUE = Path(__file__).parent / "catalogue"
LARGEST = 4 * 2**20  # bytes of a file that a person may have written


def names() -> list[str]:
    """The workloads of the catalogue; none of them is imported."""
    stems = (path.stem for path in CATALOGUE.glob("*.py") if path.stem != "__init__")
    return sorted(stem.replace("_", "-") for stem in stems)


@dataclass(frozen=True)
class Found:
    """A workload, and the file it was read from if it is not the catalogue's."""

    workload: Workload
    file: str = ""
    source: bytes = b""


def find(word: str) -> Workload:
    """The workload a person means: a catalogue's name, or the path of a file that defines one."""
    return read(word).workload


def read(word: str) -> Found:
    """The same with where it was found."""
    if name := same_name(word, names()):
        return Found(_catalogued(name))
    path = Path(os.path.expanduser(word))  # noqa: PTH111 (pathlib's raises for unknown users)
    if path.suffix == ".py" or (os.sep in word and os.path.lexists(path) and not _folder(path)):
        return _from_file(path)
    if word and _folder(path):
        raise StoneError(*messages.is_a_folder(word))
    near = did_you_mean(word, names(), messages.WHERE_WORKLOADS_STAND)
    raise StoneError(*messages.no_such_workload(word, near))


def checked(workload: Workload, where: str = "") -> Workload:
    """A person's own workload, which may not have the name of another in the catalogue."""
    if workload.name in names() and workload != _catalogued(workload.name):
        raise StoneError(*messages.name_in_catalogue(where, workload.name))
    return workload


def _catalogued(name: str) -> Workload:
    module = importlib.import_module(f"tensorstone.models.catalogue.{name.replace('-', '_')}")
    workload: Workload = module.workload
    return workload


def _from_file(path: Path) -> Found:
    namespace: dict[str, object] = {"__name__": "workload", "__file__": str(path)}
    source = _source(path)
    # What the file prints must not mix with what a command prints for machines.
    with to_stderr():
        mistakes = run(source, path, namespace)
    if mistakes:
        raise as_error(mistakes, path, source)
    return Found(checked(_defined(path, namespace), f"{path}: "), str(path), source)


def _source(path: Path) -> bytes:
    """What is in the file, if it is one: a pipe or a device may never end."""
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise StoneError(*messages.no_regular_file(path))
        if status.st_size > LARGEST:
            sizes = status.st_size / 2**20, LARGEST // 2**20
            raise StoneError(*messages.file_too_large(path, *sizes))
        return path.read_bytes()
    except FileNotFoundError:
        raise StoneError(*messages.no_such_file(path, _nearby(path))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoneError(*messages.not_readable(path, reason)) from None


def _folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 (pathlib's raises for names too long)


def _defined(path: Path, namespace: dict[str, object]) -> Workload:
    """The file's `workload`, or the only one it has under any name."""
    found = {key: value for key, value in namespace.items() if isinstance(value, Workload)}
    chosen = namespace.get("workload")
    if isinstance(chosen, Workload):
        return chosen
    if "workload" in namespace:
        raise StoneError(*messages.not_a_workload(path, _a(chosen)))
    distinct = {id(value): value for value in found.values()}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    if found:
        raise StoneError(*messages.defines_several(path, list(found), len(distinct)))
    raise StoneError(*messages.defines_no_workload(path))


def _a(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"


def _nearby(path: Path) -> str:
    """Files beside a path that was mistyped."""
    beside = sorted(p.name for p in path.parent.glob("*.py")) if path.parent.is_dir() else []
    if not path.parent.is_dir():
        return messages.no_such_folder(path.parent)
    return did_you_mean(path.name, beside[:20]) if beside else messages.NO_PYTHON_FILE
