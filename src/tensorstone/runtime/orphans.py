"""What a worker started and no keeper looks after any more, because the keeper itself was killed.

Such a process may have its own session and another parent by now. It is known by a variable that
every process below a keeper inherits.
"""

from __future__ import annotations

import contextlib
import time

import psutil

MARK = "STONE_KEEPER"
PATIENCE_S = 5.0  # for those that start others faster than they are found


def end_orphans(mark: str) -> None:
    """Kill every process that carries this mark."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := _marked(mark)) and time.monotonic() < deadline:
        for process in found:
            with contextlib.suppress(psutil.Error):  # gone already, or not ours to kill
                process.kill()


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
