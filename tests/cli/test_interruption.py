"""Ctrl-C: at once, with a word, and nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil

from cli.conftest import COMMAND, SMALL, environment


def test_ctrl_c_ends_proofs_that_hang(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "prove", str(SMALL), "-d", "rogue/hang", "--timeout", "10m"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    workers = _workers(process)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    psutil.wait_procs(workers, timeout=10)
    assert not [worker for worker in workers if worker.is_running()]


def _workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The keeper and the worker, once both are there."""
    for _ in range(600):
        found = psutil.Process(process.pid).children(recursive=True)
        if len(found) >= 2:
            return found
        time.sleep(0.1)
    raise AssertionError("no worker was ever started")
