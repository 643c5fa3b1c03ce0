"""How a worker is started: which interpreter, which variables, which processors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tensorstone.runtime import threads as thread_variables
from tensorstone.runtime.gauges import allocator

LONGEST_TMPDIR = 64
ENTRY = Path(__file__).resolve().parents[2] / "stone_worker" / "__main__.py"


@dataclass(frozen=True)
class Invocation:
    """Everything about a worker's process; `env` is added to (and wins over) the host's."""

    python: Path
    env: dict[str, str]
    cpus: tuple[int, ...]  # empty: wherever the host may run
    threads: int
    workdir: Path

    def command(self, fd_in: int, fd_out: int) -> list[str]:
        # -u: what was printed before a crash is kept. -s: nothing of the user's own site folder.
        command = [str(self.python), "-u", "-s", str(ENTRY), str(fd_in), str(fd_out)]
        return [*command, ",".join(map(str, self.cpus))] if self.cpus else command

    def environment(self, host: Mapping[str, str]) -> dict[str, str]:
        """The host's variables without what reaches into another interpreter, or decides a race."""
        kept = {name: value for name, value in host.items() if not _foreign(name)}
        own = thread_variables.variables(self.threads)
        # A worker is killed when it is done, so what it leaves in a temporary folder stays there.
        # But a loader's processes talk through sockets there, whose paths have 107 characters.
        if len(str(self.workdir)) <= LONGEST_TMPDIR:
            own["TMPDIR"] = str(self.workdir)
        return {**kept, **own, **self.env}


def _foreign(name: str) -> bool:
    return name.startswith("PYTHON") or name in {
        "VIRTUAL_ENV",
        "__PYVENV_LAUNCHER__",
        *thread_variables.PLACEMENT,
        *allocator.NAMES,
    }
