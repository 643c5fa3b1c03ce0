"""Processor time of a worker, read from outside."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tensorstone.runtime.sampling import Tree, cpu_clock

SPIN = """
import time
end = time.process_time() + 0.2
while time.process_time() < end:
    pass
print(time.process_time(), flush=True)
input()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_processor_time_is_what_the_process_itself_says() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdin
        said_s = float(process.stdout.readline())
        seen_s = time.clock_gettime(cpu_clock(process.pid))
        process.stdin.close()
    # Between its word and our look it only waits; a tick would be 10 ms.
    assert 0 <= seen_s - said_s < 0.009


def test_who_ended_has_used_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    tree = Tree(process.pid, process.pid)
    assert tree.cpu_s() == 0.0
