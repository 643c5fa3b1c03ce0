"""What may be raced: a program with the proof that it computes what it should."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tensorstone.results.conditions import Conditions
from tensorstone.results.program import Program
from tensorstone.results.proof import Proof

Task = Literal["train", "predict"]


class Unproven(Exception):
    """Somebody tried to race a program without its own proof: our mistake, never a user's."""


class Subject(Struct, frozen=True):
    """It can be made only with a proof of this very text, under the conditions it will run under.

    A workload, an operation and a part of a model are all subjects.
    """

    program: Program
    proof: Proof
    conditions: Conditions
    weights_sha: str = ""
    data_sha: str = ""
    batch: int = 1
    task: Task = "train"

    def __post_init__(self) -> None:
        if not self.proof.ok:
            raise Unproven(f"{self.program.dialect}: its proof is {self.proof.outcome.status}")
        if self.proof.program_sha != self.program.sha:
            raise Unproven(f"{self.program.dialect}: its proof is of another program")
        if self.proof.conditions != self.conditions:
            raise Unproven(f"{self.program.dialect}: its proof was made under other conditions")
