"""From what a worker says or how it died to an outcome."""

from __future__ import annotations

import signal

from tensorstone.results.outcome import Outcome
from tensorstone.runtime import messages
from tensorstone.runtime.answers import Gone, Said


class Failure(Exception):
    """A request that was not answered well. `alive`: the worker can still be asked something."""

    def __init__(self, outcome: Outcome, alive: bool = False) -> None:
        super().__init__(f"{outcome.status}: {outcome.reason}")
        self.outcome = outcome
        self.alive = alive


def of_error(error: Said, during: str) -> Outcome:
    """The outcome of a worker's `error` answer to the request `during`."""
    said = f"{error.type}: {error.message}".rstrip(": ")
    if error.kind == "memory":
        return Outcome("out-of-memory", messages.failed(during, said), error.traceback)
    if error.kind == "protocol":
        return Outcome("failed", messages.protocol(error.message), error.traceback)
    if error.type == "ModuleNotFoundError" and during == "load":
        return Outcome("not-installed", error.message, error.traceback)
    return Outcome("failed", messages.failed(during, said), error.traceback)


def of_exit(gone: Gone, during: str, kernel_killed: bool) -> Outcome:
    """The outcome of a worker that ended by itself while it was asked `during`."""
    number = gone.signal
    if number is None:
        return Outcome("failed", messages.exited(during, gone.code))
    if number == signal.SIGKILL and kernel_killed:
        return Outcome("out-of-memory", messages.killed_by_kernel(during))
    return Outcome("crashed", messages.crashed(during, signal_name(number)))


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
