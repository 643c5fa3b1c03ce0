"""Trials in one PyTorch worker: a program is loaded after another, so each costs milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from sources import sources_of

from tensorstone.dialects.registry import dialects, frameworks
from tensorstone.models.workload import Workload
from tensorstone.proof.candidate import Candidate
from tensorstone.proof.program import Programs
from tensorstone.proof.sources import Edit
from tensorstone.results.proof import Proof
from tensorstone.runtime.invocation import Invocation
from tensorstone.runtime.process import Worker

FRAMEWORK = "pytorch"
DIALECT = "pytorch/eager"


class Prove:
    """Prove a workload in PyTorch, its program rewritten first where an edit is given."""

    def __init__(self, programs: Programs, double: Programs) -> None:
        self._programs, self._double = programs, double

    def __call__(
        self, workload: Workload, edit: Edit | None = None, written: Workload | None = None
    ) -> Proof:
        """`written`: whose program it is, where not the workload's own."""
        dialect, framework = dialects()[DIALECT], frameworks()[FRAMEWORK]
        sources = sources_of(written or workload, dialect, edit)
        if edit is not None:
            assert sources != sources_of(workload, dialect), "the edit changed nothing"
        return Candidate(
            workload,
            dialect,
            framework,
            sources,
            self._programs,
            edit,
            doubled=lambda: nullcontext(self._double),
        ).proof()


@contextmanager
def pytorch(python: Path, folder: Path) -> Iterator[Prove]:
    bridge = frameworks()[FRAMEWORK].bridge
    own = folder / "double"
    own.mkdir()
    with Worker(invocation(python, folder)) as worker, Worker(invocation(python, own)) as double:
        yield Prove(
            Programs(worker, bridge, threads=1, folder=folder, timeout_s=300),
            Programs(double, bridge, 1, own, timeout_s=300, precision="float64"),
        )


def invocation(python: Path, folder: Path) -> Invocation:
    return Invocation(python, env={}, cpus=(), threads=1, workdir=folder)
