"""Background load, from the time that processors did not idle."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from trees import tree

from tensorstone.runtime.gauges import background
from tensorstone.runtime.gauges.background import ProcessorReading, disturbed

START = ProcessorReading(at=100.0, processors=4, idle_s=50.0, stolen_s=1.0, host_s=2.0)
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")


def after(
    wall_s: float, idle_s: float, stolen_s: float = 0.0, host_s: float = 0.0
) -> ProcessorReading:
    return ProcessorReading(
        100.0 + wall_s, 4, 50.0 + idle_s, stolen_s=1.0 + stolen_s, host_s=2.0 + host_s
    )


def test_a_reading_is_idle_and_stolen_time_of_all_processors(tmp_path: Path) -> None:
    stat = "cpu  100 200 300 4000 500 60 70 80 9 9\ncpu0 1 2\ncpu1 1 2\nintr 5\n"
    found = background.reading(tree(tmp_path, {"stat": stat}))
    assert found is not None
    assert found.processors == 2
    assert found.idle_s == pytest.approx(4500 * background.TICK_S)
    assert found.stolen_s == pytest.approx(80 * background.TICK_S)


@pytest.mark.parametrize(
    "stat", ["", "cpu 1 2 3\n", "cpu a b c d e f g h\n", "cpu 1 2 3 4 5 6 7 8\n", "no such thing"]
)
def test_an_odd_file_is_no_reading(stat: str, tmp_path: Path) -> None:
    assert background.reading(tree(tmp_path, {"stat": stat})) is None
    assert background.reading(tmp_path / "absent") is None


def test_what_neither_idled_nor_was_ours_is_background_load() -> None:
    # 4 processors for 10 s, 20 idle: 20 busy, of which the worker 10, this process 1, others 9.
    assert background.load(START, after(10, 20, host_s=1), own_s=10) == pytest.approx(0.9)
    assert background.load(START, after(10, 30, host_s=1), own_s=10) == 0.0, "never below"


def test_nothing_is_said_of_no_time_or_of_other_processors() -> None:
    assert background.load(START, START, 0) is None
    assert background.load(START, replace(after(1, 1), processors=3), 0) is None
    assert background.load(None, START, 0) is None
    assert background.stolen(START, START) is None
    assert background.stolen(START, None) is None


def test_stolen_time_is_a_share() -> None:
    assert background.stolen(START, after(10, 0, stolen_s=4)) == pytest.approx(0.1)
    assert background.stolen(START, after(10, 0, stolen_s=-1)) == 0.0


@pytest.mark.parametrize("processors", [1, 2, 4, 64, 256])
def test_rounding_alone_disturbs_nothing(processors: int) -> None:
    for wall_s in (0.05, 0.1, 0.2, 0.5, 1.0, 10.0):
        assert not disturbed(2 * background.TICK_S / wall_s, wall_s, processors)


@pytest.mark.parametrize("processors", [1, 2, 4, 64, 256])
def test_a_neighbour_with_a_third_of_a_processor_disturbs(processors: int) -> None:
    for wall_s in (0.1, 0.2, 0.5, 1.0, 10.0):
        assert disturbed(1 / 3, wall_s, processors)


def test_housekeeping_disturbs_nothing_however_long_the_block() -> None:
    assert not disturbed(0.09, 100.0, 2)
    assert disturbed(0.11, 100.0, 2)


@linux
def test_this_machine_can_be_read() -> None:
    first = background.reading()
    time.sleep(0.05)
    second = background.reading()
    assert first and second
    busy = background.load(first, second, 0.0)
    # A tick of rounding in 50 ms is a fifth of a processor, in two columns.
    assert busy is not None and 0 <= busy <= second.processors + 1
    assert 0 <= (background.stolen(first, second) or 0.0) <= 1
