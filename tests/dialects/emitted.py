"""Every program of the catalogue, emitted once for all the tests that look at them."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from tensorstone.dialects.emit import Unsupported, emit
from tensorstone.dialects.registry import Dialect, dialects
from tensorstone.models.load import find, names

DIALECTS = [dialect for dialect in dialects().values() if dialect.framework != "null"]
SECTIONS = ["network", "learner", "batches", "train", "predict", "save", "load", "data"]


@cache
def source(workload: str, dialect: str) -> str | None:
    """The program, or None where the dialect cannot say the workload."""
    try:
        return emit(find(workload), dialects()[dialect])
    except Unsupported:
        return None


def said_by(dialect: str) -> list[str]:
    """The workloads a dialect says: all, unless its program would be another dialect's."""
    return [name for name in names() if source(name, dialect) is not None]


def programs() -> dict[tuple[str, str], str]:
    """Every program there is, by workload and dialect."""
    pairs = [(workload, dialect.name) for workload in names() for dialect in DIALECTS]
    return {pair: text for pair in pairs if (text := source(*pair)) is not None}


def flat_name(dialect: Dialect | str) -> str:
    """`mxnet-gluon`: a dialect's name where there may be no slash."""
    return (dialect if isinstance(dialect, str) else dialect.name).replace("/", "-")


def written(programs: dict[tuple[str, str], str], folder: Path) -> Path:
    """The programs as files, so that one run of a tool sees them all."""
    for (workload, dialect), text in programs.items():
        path = folder / workload / f"{flat_name(dialect)}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def ruff(*words: str, text: str | None = None) -> str:
    """What ruff has to say with nobody's configuration; empty when it is content."""
    command = [sys.executable, "-m", "ruff", *words, "--isolated", "--no-cache"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def lint(path: str = "-", text: str | None = None) -> str:
    """Unknown names, unused imports, imports out of order: in files, or in a text."""
    rules = ("--select", "E4,E7,E9,F,I", "--output-format", "concise")
    return ruff("check", *rules, path, text=text)
