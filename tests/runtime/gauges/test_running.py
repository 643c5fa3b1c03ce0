"""Threads that run, from their states."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from trees import tree

from tensorstone.runtime.gauges.running import running


def test_threads_in_state_r_are_counted(tmp_path: Path) -> None:
    proc = tree(
        tmp_path,
        {
            "1/task/1/stat": "1 (python) S 0 1",
            "1/task/2/stat": "2 (a ) R) R 0 1",
            "2/task/5/stat": "5 (python) R 0 1",
            "2/task/6/stat": "",
            "3/task/7/stat": "7 (other) R 0 1",
        },
    )
    assert running([1, 2], proc) == 2
    assert running([1], proc) == 1


def test_nothing_to_see_is_none(tmp_path: Path) -> None:
    assert running([1], tmp_path) is None
    assert running([], tmp_path) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_whoever_looks_is_running() -> None:
    count = running([os.getpid()])
    assert count is not None and count >= 1
