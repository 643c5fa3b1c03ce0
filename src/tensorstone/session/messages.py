"""What `session` says to a person about programs that are run alone and data given to them: a pair,
what happened and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorstone.support.errors import Message


def no_data_set(word: str, near: str) -> Message:
    return f"there is no data set called {word!r}", near


def nobody_reads(name: str) -> Message:
    return (
        f"no workload of the catalogue reads {name}",
        "name one of yours that does: --workload ./mine.py",
    )


def reads_another(workload: str, its: str, asked: str) -> Message:
    return f"{workload} reads {its}, not {asked}", f"give --data {its}, or a .npz file"


def no_npz(path: Path) -> Message:
    return f"there is no file {path}", "make one: stone data export mnist --npz mnist.npz"


def several_dialects(word: str, names: Sequence[str]) -> Message:
    return (
        f"{word} has {len(names)} dialects, and a program is of one",
        f"name one of {', '.join(names)}",
    )


def not_written(workload: str, dialect: str, reason: str) -> Message:
    return (
        f"{workload} cannot be written in {dialect}: {reason}",
        f"choose another dialect: stone translate {workload} --all says which can",
    )
