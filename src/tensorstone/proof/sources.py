"""The programs a proof needs of one workload in one dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tensorstone.dialects.emit import emit, emit_part
from tensorstone.dialects.registry import Dialect
from tensorstone.models.workload import Workload
from tensorstone.proof import dropout
from tensorstone.proof.dropout import Question

Edit = Callable[[str], str]


@dataclass(frozen=True)
class Sources:
    """The program itself, the same with every dropout rate zero, and dropout's own probes."""

    program: str
    undropped: str
    probes: tuple[tuple[Question, str], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return self.program, self.undropped, *(source for _, source in self.probes)


def write(workload: Workload, dialect: Dialect, program: str, edit: Edit | None = None) -> Sources:
    """The program as it was emitted, and what is emitted beside it. Raises `Unsupported`. `edit`
    rewrites each of the latter: tests put mistakes in with it, as they did in the program."""
    change = edit or (lambda source: source)
    asked = dropout.questions(workload.model)
    undropped = program
    if asked:
        plain = replace(workload, model=workload.model.without_dropout())
        undropped = change(emit(plain, dialect))
    probes = tuple(
        (question, change(emit_part(dropout.workload(question), dialect))) for question in asked
    )
    return Sources(program, undropped, probes)
