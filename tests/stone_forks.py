"""One process that has read stone's modules and forks for each command (stone_forked.py)."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
TIMEOUT_S = 600


class Forks:
    """`run()` as often as wanted, then `close()`. What commands say passes through `folder`."""

    def __init__(self, folder: Path) -> None:
        self._out, self._err = folder / "out", folder / "err"
        asked, ask = os.pipe()
        self._answers, answers = os.pipe()
        self._ask = os.fdopen(ask, "w", encoding="ascii")
        # Threads of a library's own would not be in the forks.
        variables = {"PYTHONPATH": str(TESTS.parent / "src"), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(TESTS / "stone_forked.py"), str(asked), str(answers)],
            stdin=subprocess.DEVNULL,
            env=os.environ | variables,
            pass_fds=(asked, answers),
        )
        os.close(asked)
        os.close(answers)

    def run(
        self, words: list[str], folder: Path, environment: dict[str, str], memory: int | None
    ) -> tuple[int, str, str]:
        """How the command ended, and what it wrote to each stream."""
        wanted = {
            "words": words,
            "folder": str(folder),
            "environment": environment,
            "memory": memory,
            "out": str(self._out),
            "err": str(self._err),
        }
        print(json.dumps(wanted), file=self._ask, flush=True)
        assert select.select([self._answers], [], [], TIMEOUT_S)[0], f"no end to {words}"
        return int(os.read(self._answers, 100)), self._out.read_text(), self._err.read_text()

    def close(self) -> None:
        self._ask.close()
        self._process.wait()
        os.close(self._answers)
