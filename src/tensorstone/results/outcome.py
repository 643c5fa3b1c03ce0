"""How a cell or a trial ended: one word, a reason, and the last lines the worker printed."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

Status = Literal[
    "ok",
    "unequal",
    "unsupported",
    "not-installed",
    "crashed",
    "timed-out",
    "out-of-memory",
    "failed",
]
STATUSES: tuple[str, ...] = get_args(Status)


class Outcome(Struct, frozen=True):
    """`ok`, or what went wrong."""

    status: Status
    reason: str = ""
    last_output: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"


OK = Outcome("ok")
