"""Running `stone` as a person does: a real process, its own folders.

Most are forks of one that has read its modules, which is half of what a short command takes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from stone_forks import TIMEOUT_S, Forks

from tensorstone.support.machine_lock import OTHER_NAME

TESTS = Path(__file__).resolve().parents[1]
SMALL = TESTS / "workloads" / "small_cnn.py"
COMMAND = [sys.executable, str(TESTS / "stone_in_tests.py")]
# What Python and the C library read when they start.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_")


@dataclass(frozen=True)
class Said:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output must be one JSON object and nothing else."""
        assert self.out, self.err
        return json.loads(self.out)

    @property
    def cells(self) -> dict[str, Any]:
        return {cell["dialect"]: cell for cell in self.json["cells"]}


Stone = Callable[..., Said]


def environment(folder: Path) -> dict[str, str]:
    """Folders of its own for what is kept; framework environments are shared with other tests."""
    return {
        **os.environ,
        "PYTHONPATH": str(TESTS.parent / "src"),
        "STONE_DATA": str(folder / "data"),
        "STONE_ROOMS": str(TESTS / "rooms"),
        "COLUMNS": "100",
        "TMPDIR": str(temporary(folder)),
        # Tests that time do so at once, each on its own "machine".
        OTHER_NAME: f"stone-test-{os.getpid()}-{folder.name}",
    }


def temporary(folder: Path) -> Path:
    made = folder / "tmp"
    made.mkdir(exist_ok=True)
    return made


@pytest.fixture
def stone(tmp_path: Path, forks: Forks, fresh_stone: Stone) -> Stone:
    """Run the command with these words; `memory` limits its address space and its workers'."""

    def run(*words: object, memory: int | None = None, **variables: str) -> Said:
        if any(name.startswith(READ_AT_START) for name in variables):
            return fresh_stone(*words, memory=memory, **variables)
        own = environment(tmp_path) | variables
        return Said(*forks.run([str(word) for word in words], tmp_path, own, memory))

    return run


@pytest.fixture
def fresh_stone(tmp_path: Path) -> Stone:
    """The same, started as a person starts it."""

    def run(*words: object, memory: int | None = None, **variables: str) -> Said:
        def limit() -> None:
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path) | variables,
            preexec_fn=limit,
            timeout=TIMEOUT_S,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return run
