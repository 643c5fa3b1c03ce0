"""What `runtime` says to a person: making stone's own environment, the frameworks' environments,
why a worker's trial failed, and what of the machine cannot be read.

Mistakes are pairs: what happened, what to do next. Reasons of an outcome are one line, shown
behind the cell's name. Standard library only: `bootstrap` reads this before anything is installed.
"""

from __future__ import annotations

from pathlib import Path

from tensorstone.support.errors import Message

# Stone's own environment, in a fresh clone. Each line begins with "stone: ".


def making_own(venv: Path) -> str:
    return f"making stone's own environment in {venv} (once, 420 MB on disk)"


WAITING_FOR_OWN = "another stone is making this environment; waiting for it to end"
OWN_EMPTY = "making an empty environment"
OWN_PIP = "adding pip"
OWN_UV = "fetching uv"
OWN_PACKAGES = "fetching packages"
OWN_READY = "ready"


def own_failed(step: str, said: str) -> str:
    return f"{step} failed" + (f":\n{said}" if said else "; what was printed above says why")


def foreign_venv(venv: Path) -> str:
    return f"{venv} was not made by stone; remove it, or set STONE_VENV to another place"


def lock_without_uv(lock: Path) -> str:
    return f"{lock} does not pin uv; regenerate it with `make lock`"


def own_not_writable(error: object) -> str:
    return f"{error}; set STONE_VENV to a folder you can write in"


OWN_STOPPED = "stopped; run stone again to go on from here"

# A framework's environment: what the machine lacks.


def no_interpreter(minor: str, command: str) -> Message:
    return f"Python {minor} is not on this machine", f"get it with: {command}"


def no_system_packages(title: str, needs: list[str], command: str, name: str) -> Message:
    return (
        f"{title} needs {' and '.join(needs)}, not on this machine",
        f"get it with: {command} (or: stone env install --system {name})",
    )


def _by_hand(command: str) -> str:
    return f"ask an administrator to run: {command}"


def no_apt_get(command: str) -> Message:
    return "apt-get is not on this machine", _by_hand(command)


def only_root(command: str) -> Message:
    return "only root may install system packages", _by_hand(command)


def apt_get_failed(words: list[str], said: str, command: str) -> Message:
    return f"{' '.join(words)} failed:\n{said}", _by_hand(command)


def no_library(title: str, library: str, name: str, room: Path) -> Message:
    return (
        f"{title} needs the library {library} under the name {name}, and it is not on this machine",
        f"install the system package that has {library}; then name that package under `system` "
        f"in {room / 'framework.toml'}",
    )


def no_lock(room: str, lock: str) -> Message:
    return f"{room} has no {lock}", "docs/adding-a-framework.md says how to make it"


# A framework's environment: installing.


def waiting(title: str) -> str:
    return f"{title}: another stone is installing it; waiting for it to end"


def installing(title: str, version: str, download: str) -> str:
    return f"{title} {version}" + (f" ({download} to download)" if download else "")


def not_installed(title: str, why: str) -> str:
    return f"{title} could not be installed: {why}"


_LARGER_DISK = "free some space, or set STONE_CACHE to a folder on a larger disk"


def too_little_space(folder: Path, needed: str, free: str) -> Message:
    return f"it needs {needed} and {folder} has {free} free", _LARGER_DISK


def disk_full(folder: Path) -> Message:
    return f"the disk that holds {folder} is full", _LARGER_DISK


def uv_failed(code: int, said: str, name: str) -> Message:
    return (
        f"uv ended with code {code} and said:\n{said}",
        f"run it again with: stone env install {name}",
    )


# Why a worker's request failed. `do` is the request: load, train, predict …


def cannot_start(python: Path, reason: str | None) -> str:
    return f"cannot start {python}: {reason}"


def failed(do: str, said: str) -> str:
    return f"{do}: {said}"


def exited(do: str, code: int | None) -> str:
    return f"{do}: exited with code {code}, no answer given"


def crashed(do: str, signal: str) -> str:
    return f"{signal} during {do}"


def killed_by_kernel(do: str) -> str:
    return f"{do}: killed by the kernel, memory was exhausted"


def too_much_memory(do: str, used: float, limit: float) -> str:
    mib = 2**20
    return f"{do}: {used / mib:.0f} MiB, more than {limit / mib:.0f} MiB were allowed"


def not_read_in_time(do: str, seconds: float) -> str:
    return f"{do} was not even read within {seconds:g} s"


def too_slow(do: str, seconds: float) -> str:
    return f"{do} took longer than {seconds:g} s"


def vanished(do: str) -> str:
    return f"the process ended during {do}, and the keeper that watches it ended too"


def other_processors(asked: object, got: object) -> str:
    return f"asked for processors {asked}, got {got}"


CLOSED = "the worker was closed"

# What a worker answers or writes, and should not.


def protocol(said: str) -> str:
    return f"protocol: {said}"


def wrong_hello(expected: object, said: object) -> str:
    return protocol(f"expected hello {expected}, the worker said {said}")


def wrong_answer(do: str, said: str) -> str:
    return protocol(f"{do} was answered with {said}")


def no_fields(said: str, why: object) -> str:
    return f"{said!r}: {why}"


ENDLESS_LINE = "a line without end"
NEITHER_ABSENT_NOR_MEASURED = "it is neither absent nor measured"
NO_ARRAYS_WRITTEN = "it wrote no file of arrays"
PYTHON_OBJECTS = "Python objects"


def not_arrays(said: str) -> str:
    return f"what it wrote is not arrays of numbers: {said}"


def array_missing(name: str) -> str:
    return f"{name} are missing"


def not_numbers(name: str, kind: object) -> str:
    return f"{name} are of type {kind}, which is not a number"


# Notes on threads.


def more_busy(asked: int, busy: float) -> str:
    return f"{_asked(asked)}, kept {busy:.2f} busy"


def more_running(asked: int, running: float) -> str:
    return f"{_asked(asked)}, {running:g} ran at a time"


def _asked(threads: int) -> str:
    return f"asked for {threads} thread{'s' * (threads != 1)}"


# What of the machine cannot be read.

NO_GPU = "there is no NVIDIA GPU"
NO_NVML = "the package nvidia-ml-py is not installed beside stone"
NO_ENERGY = "this machine does not count its energy (virtual machines seldom do)"
ENERGY_HIDDEN = "only root may read the counters"
OTHER_C_LIBRARY = "another C library"


def driver_says(error: object) -> str:
    return f"the NVIDIA driver says: {error}"
