"""Memory that is a process's own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from trees import tree

from tensorstone.runtime.gauges.unique_memory import unique

ROLLUP = """5500-7fff ---p 00000000 00:00 0    [rollup]
Rss:                9000 kB
Shared_Clean:       7000 kB
Private_Clean:         40 kB
Private_Dirty:        100 kB
Swap:                  50 kB
SwapPss:               10 kB
"""


def test_private_and_swapped_pages_are_added_up(tmp_path: Path) -> None:
    proc = tree(tmp_path, {"1/smaps_rollup": ROLLUP, "2/smaps_rollup": ROLLUP})
    assert unique([1], proc) == 150 * 1024
    assert unique([1, 2], proc) == 300 * 1024


def test_a_process_that_is_gone_or_dead_has_none(tmp_path: Path) -> None:
    proc = tree(tmp_path, {"1/smaps_rollup": ROLLUP, "3/stat": "3 (a) b) Z 1 1"})
    assert unique([1, 2, 3], proc) == 150 * 1024
    assert unique([2, 3], proc) is None


@pytest.mark.parametrize("rollup", ["", "Private_Dirty: many kB", "Private_Dirty:", "\x00\x01"])
def test_what_is_hidden_or_odd_makes_no_sum(rollup: str, tmp_path: Path) -> None:
    proc = tree(
        tmp_path, {"1/smaps_rollup": ROLLUP, "2/smaps_rollup": rollup, "2/stat": "2 (x) S 1"}
    )
    assert unique([1, 2], proc) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_what_this_process_writes_is_its_own() -> None:
    before = unique([os.getpid()])
    held = bytearray(b"\x01") * (32 * 2**20)
    after = unique([os.getpid()])
    if before is None or after is None:
        pytest.skip("this kernel has no smaps_rollup")
    assert after - before > 30 * 2**20
    assert len(held) == 32 * 2**20
