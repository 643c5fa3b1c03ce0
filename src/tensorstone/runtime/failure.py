"""From what a worker says or how it died to an outcome."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any

from tensorstone.results.outcome import Outcome


class Failure(Exception):
    """A request that was not answered well. `alive`: the worker can still be asked something."""

    def __init__(self, outcome: Outcome, alive: bool = False) -> None:
        super().__init__(f"{outcome.status}: {outcome.reason}")
        self.outcome = outcome
        self.alive = alive


def of_error(error: Mapping[str, Any], during: str) -> Outcome:
    """The outcome of a worker's `error` answer to the request `during`."""
    kind, name = error.get("kind"), error.get("type", "")
    said = f"{name}: {error.get('message', '')}".rstrip(": ")
    words = str(error.get("traceback", ""))
    if kind == "memory":
        return Outcome("out-of-memory", f"{during}: {said}", words)
    if kind == "protocol":
        return Outcome("failed", f"protocol: {error.get('message', '')}", words)
    if name == "ModuleNotFoundError" and during == "load":
        return Outcome("not-installed", str(error.get("message", "")), words)
    return Outcome("failed", f"{during}: {said}", words)


def of_exit(gone: Mapping[str, Any], during: str, kernel_killed: bool) -> Outcome:
    """The outcome of a worker that ended by itself while it was asked `during`."""
    number = gone.get("signal")
    if number is None:
        return Outcome("failed", f"{during}: exited with code {gone.get('code')}, no answer given")
    if number == signal.SIGKILL and kernel_killed:
        return Outcome("out-of-memory", f"{during}: killed by the kernel, memory was exhausted")
    return Outcome("crashed", f"{signal_name(number)} during {during}")


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
