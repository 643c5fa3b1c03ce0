"""Instructions where the machine counts them; elsewhere how the kernel is asked, and read."""

from __future__ import annotations

import errno
import mmap
import os
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from line import Line, loaded

from stone_worker import counters
from stone_worker.timing import measured

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="perf events are Linux's")


def touch_pages(count: int) -> None:
    size = mmap.PAGESIZE
    memory = mmap.mmap(-1, count * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)  # else one fault may bring 512 pages
    for page in range(count):
        memory[page * size] = 1
    memory.close()


def refusing(*codes: int) -> Callable[..., int]:
    """An `open_event` that fails as the kernel does, once with each code; then it opens 7."""
    left = list(codes)

    def open_event(*_: object) -> int:
        if left:
            code = left.pop(0)
            raise OSError(code, os.strerror(code))
        return 7

    return open_event


def test_the_attributes_are_laid_out_as_the_kernel_reads_them() -> None:
    said = counters.layout(counters.HARDWARE, counters.INSTRUCTIONS, 1 << 5)
    assert len(said) == 64, "PERF_ATTR_SIZE_VER0"
    assert struct.unpack_from("=II", said) == (0, 64)
    assert struct.unpack_from("=Q", said, 8) == (1,), "instructions"
    assert struct.unpack_from("=Q", said, 32) == (3,), "with both times"
    assert struct.unpack_from("=Q", said, 40) == (2 | 1 << 5,), "inherited, without the kernel"
    assert not any(said[16:32]) and not any(said[48:])


@linux
def test_a_reading_holds_what_living_threads_did() -> None:
    """Shown with page faults, which every kernel counts; instructions are read the same way."""
    try:
        fd = counters.open_event(counters.SOFTWARE, counters.PAGE_FAULTS, 1 << 5 | 1 << 6)
    except OSError as error:
        pytest.skip(f"no perf events at all here: {error}")
    touched, done = threading.Event(), threading.Event()

    def work() -> None:
        touch_pages(3000)
        touched.set()
        done.wait(60)

    thread = threading.Thread(target=work)
    try:
        before = counters.read(fd)
        thread.start()
        assert touched.wait(60) and thread.is_alive()
        alive = counters.read(fd)
        done.set()
        thread.join()
        after = counters.read(fd)
    finally:
        done.set()
        os.close(fd)
    assert before and alive and after
    assert alive[0] - before[0] >= 3000
    assert after[0] >= alive[0], "nothing is lost when a thread ends"


def test_what_was_not_counted_all_of_the_time_is_not_answered() -> None:
    assert counters.instructions((10, 0, 0), (250, 1000, 1000)) == 240
    assert counters.instructions((10, 0, 0), (250, 1000, 500)) is None
    assert counters.instructions(None, (250, 1000, 1000)) is None
    assert counters.instructions((10, 0, 0), (10, 0, 0)) is None, "it never ran"


@linux
def test_the_kernels_part_is_left_out_where_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    monkeypatch.setattr(counters.os, "close", closed.append)
    monkeypatch.setattr(counters, "open_event", refusing(errno.EACCES))
    assert counters.possible() == "user"
    monkeypatch.setattr(counters, "open_event", refusing())
    assert counters.possible() == "user and kernel"
    assert closed == [7, 7]


@linux
@pytest.mark.parametrize(
    ("code", "why"), [(errno.EACCES, "may not"), (errno.ENOENT, "no such"), (errno.ENOSYS, "no ")]
)
def test_without_a_counter_there_is_a_reason(
    code: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "open_event", refusing(code, code))
    with pytest.raises(counters.Absent, match=why):
        counters.possible()
    counters.start()
    assert counters.reading() is None
    assert measured(lambda: None)["instructions"] is None


def test_a_descriptor_that_says_nothing_is_no_reading() -> None:
    with Path(os.devnull).open() as nothing:
        assert counters.read(nothing.fileno()) is None
    assert counters.read(-1) is None


def test_a_block_counts_the_instructions_of_all_threads(line: Line, files: dict[str, str]) -> None:
    loaded(line, files)
    line.ok("new", weights=None)
    line.ok("learner", sgd=None)
    line.ok("feed", data=files["data"], batch=3)
    answer = line.ok("block", steps=100)
    try:
        counters.possible()
    except counters.Absent:
        assert answer["instructions"] is None
    else:
        assert answer["instructions"] > 100_000, "a hundred steps of Python"
