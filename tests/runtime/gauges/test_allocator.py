"""Freed memory that is kept: page faults are counted, so no clock decides."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trees import tree

from tensorstone.runtime.gauges import allocator

# An aligned array of so many MiB, as frameworks ask for it, written and freed every step.
STEPS = """
import ctypes, resource, sys, threading
libc = ctypes.CDLL(None)
size, steps = ctypes.c_size_t(int(sys.argv[1]) * 2**20), 4

def step():
    pointer = ctypes.c_void_p()
    assert libc.posix_memalign(ctypes.byref(pointer), ctypes.c_size_t(64), size) == 0
    libc.memset(pointer, 1, size)
    libc.free(pointer)

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def work():
    for _ in range(12):
        step()
    before = faults()
    for _ in range(steps):
        step()
    print((faults() - before) // steps)

if sys.argv[2] == "main":
    work()
else:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""

glibc = pytest.mark.skipif(
    not allocator.library().startswith("glibc"), reason="only glibc can be told"
)


def faults(mebibytes: int, thread: str, kept: bool) -> int:
    """A step's, in a process that has the variables and no others of their kind."""
    host = {k: v for k, v in os.environ.items() if k not in (*allocator.NAMES, "LD_PRELOAD")}
    said = subprocess.run(
        [sys.executable, "-c", STEPS, str(mebibytes), thread],
        env={**host, **allocator.variables(kept)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(said.stdout)


@glibc
@pytest.mark.parametrize("thread", ["main", "another"])
@pytest.mark.parametrize("mebibytes", [4, 40, 72])
def test_kept_memory_is_faulted_in_once(mebibytes: int, thread: str) -> None:
    assert faults(mebibytes, thread, kept=True) < 16


@glibc
def test_by_default_every_step_faults_again() -> None:
    pages = 72 * 2**20 // os.sysconf("SC_PAGE_SIZE")
    found = faults(72, "main", kept=False)
    if Path("/sys/kernel/mm/transparent_hugepage/enabled").exists() and found < pages // 2:
        pytest.skip("huge pages are always on here: few faults either way")
    assert found >= pages


def test_not_kept_sets_nothing() -> None:
    assert allocator.variables(kept=False) == {}
    assert set(allocator.variables(kept=True)) <= set(allocator.NAMES)


def test_another_library_is_named_and_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unknown(name: str) -> str:
        raise ValueError(name)

    monkeypatch.setattr(allocator.os, "confstr", unknown)
    assert allocator.library(tree(tmp_path, {"lib/ld-musl-x86_64.so.1": ""})) == "musl"
    assert allocator.library(tmp_path / "absent") == "another C library"
    assert allocator.variables(kept=True) == {}
