"""Finding a workload: a name in the catalogue, or a person's own file.

A file is executed because it was asked for by path, never because it lies somewhere.
"""

from __future__ import annotations

import importlib
import os
import stat
from pathlib import Path

from tensorstone.models.mistakes import explained
from tensorstone.models.workload import Workload
from tensorstone.support.errors import StoneError, did_you_mean
from tensorstone.support.stdout import to_stderr

CATALOGUE = Path(__file__).parent / "catalogue"
LARGEST = 4 * 2**20  # bytes of a file that a person may have written


def names() -> list[str]:
    """The workloads of the catalogue; none of them is imported."""
    stems = (path.stem for path in CATALOGUE.glob("*.py") if path.stem != "__init__")
    return sorted(stem.replace("_", "-") for stem in stems)


def find(word: str) -> Workload:
    """The workload a person means: a catalogue's name, or the path of a file that defines one."""
    if word in names():
        return _catalogued(word)
    path = Path(os.path.expanduser(word))  # noqa: PTH111 (pathlib's raises for unknown users)
    if path.suffix == ".py" or (os.sep in word and os.path.lexists(path) and not _folder(path)):
        return _from_file(path)
    if word and _folder(path):
        raise StoneError(f"{word} is a folder", "give the .py file in it that defines the workload")
    raise StoneError(
        f"there is no workload called {word!r}",
        f"{did_you_mean(word, names())} (or give the path of your own .py file)",
    )


def checked(workload: Workload, where: str = "") -> Workload:
    """A person's own workload, which may not have the name of another in the catalogue."""
    if workload.name in names() and workload != _catalogued(workload.name):
        raise StoneError(
            f"{where}the workload is called {workload.name}, but differs from the catalogue's",
            f"give it another name, such as my-{workload.name}: results are kept by name",
        )
    return workload


def _catalogued(name: str) -> Workload:
    module = importlib.import_module(f"tensorstone.models.catalogue.{name.replace('-', '_')}")
    workload: Workload = module.workload
    return workload


def _from_file(path: Path) -> Workload:
    namespace: dict[str, object] = {"__name__": "workload", "__file__": str(path)}
    source = _source(path)
    try:
        # What the file prints must not mix with what a command prints for machines.
        with to_stderr():
            exec(compile(source, str(path), "exec"), namespace)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a person's file may raise anything
        raise explained(error, path, namespace) from error
    return checked(_defined(path, namespace), f"{path}: ")


def _source(path: Path) -> bytes:
    """What is in the file, if it is one: a pipe or a device may never end."""
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise StoneError(
                f"{path} cannot be read: it is a pipe or a device", "give the path of a .py file"
            )
        if status.st_size > LARGEST:
            raise StoneError(
                f"{path} has {status.st_size / 2**20:.0f} MiB: it is no workload file",
                f"a workload file is Python source of at most {LARGEST // 2**20} MiB",
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise StoneError(f"there is no file {path}", _nearby(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoneError(f"{str(path)[:200]} cannot be read: {reason}", "check the path") from None


def _folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 (pathlib's raises for names too long)


def _defined(path: Path, namespace: dict[str, object]) -> Workload:
    """The file's `workload`, or the only one it has under any name."""
    found = {key: value for key, value in namespace.items() if isinstance(value, Workload)}
    chosen = namespace.get("workload")
    if isinstance(chosen, Workload):
        return chosen
    if "workload" in namespace:
        raise StoneError(
            f"{path}: workload is {_a(chosen)}, not a Workload",
            "write workload = Workload(name=…, title=…, model=…, recipe=…, data=…)",
        )
    distinct = {id(value): value for value in found.values()}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    if found:
        raise StoneError(
            f"{path} defines {len(distinct)} workloads: {', '.join(found)}",
            "call the one you mean `workload`",
        )
    raise StoneError(
        f"{path} defines no workload", "end it with workload = Workload(…); see docs/workloads.md"
    )


def _a(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"


def _nearby(path: Path) -> str:
    """Files beside a path that was mistyped."""
    beside = sorted(p.name for p in path.parent.glob("*.py")) if path.parent.is_dir() else []
    if not path.parent.is_dir():
        return f"nor a folder {path.parent}"
    return did_you_mean(path.name, beside[:20]) if beside else "there is no .py file in that folder"
