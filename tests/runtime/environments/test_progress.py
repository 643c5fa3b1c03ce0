"""What uv says and writes, as a person sees it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorstone.runtime.environments.locked import Sizes
from tensorstone.runtime.environments.watching import Story
from tensorstone.support.progress import Lines, size, time_left

SIZES = Sizes(download=100, unpacked=300, bytecode=50)
LINES = [
    "Using Python 3.11.7 environment at: env",
    "Resolved 3 packages in 10ms",
    "Downloading torch (182.9MiB)",
    "Downloading numpy (16.0MiB)",
    " Downloaded numpy",
    " Downloaded torch",
    "Prepared 3 packages in 2s",
    "Installed 3 packages in 5ms",
    "Bytecode compiled 100 files in 3s",
]


def test_a_story_names_what_is_on_its_way() -> None:
    story = Story(SIZES)
    notes = []
    for line in LINES:
        story.hear(line)
        notes.append(story.note)
    assert notes == [
        "looking packages up",
        "downloading",
        "downloading torch",
        "downloading torch, numpy",
        "downloading torch",
        "downloading",
        "putting in place",
        "compiling bytecode",
        "compiling bytecode",
    ]


@given(st.lists(st.integers(0, 1000), min_size=len(LINES), max_size=len(LINES)))
def test_bytes_never_go_backwards_nor_past_the_whole(written: list[int]) -> None:
    story, done = Story(SIZES), []
    for line, count in zip(LINES, sorted(written), strict=True):
        story.hear(line)
        done.append(story.done(count))
    assert done == sorted(done)
    assert done[-1] <= SIZES.on_disk


def test_a_cached_installation_is_not_at_nothing() -> None:
    story = Story(SIZES)
    story.hear("Installed 3 packages in 5ms")
    assert story.done(0) == 300


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (191_794_682, "192 MB"), (1_500_000_000, "1.5 GB")],
)
def test_sizes_are_said_as_people_say_them(count: int, said: str) -> None:
    assert size(count) == said


def test_time_left_is_a_proportion_and_nothing_when_unknown() -> None:
    assert time_left(10, 25, 100) == "about 30 s left"
    assert time_left(10, 0, 100) == time_left(10, 100, 100) == ""


def test_lines_come_now_and_then_with_size_and_time_left() -> None:
    now = [0.0]
    out = io.StringIO()
    lines = Lines(out, clock=lambda: now[0])
    lines.start("Tiny", 1000)
    for second in range(21):
        now[0] = float(second)
        lines.advance(second * 40, "downloading")
    lines.advance(1000, "done")
    lines.finish()
    assert out.getvalue().splitlines() == [
        "Tiny: 1 kB on disk",
        "Tiny: 400 bytes of 1 kB, about 15 s left, downloading",
        "Tiny: 800 bytes of 1 kB, about 5 s left, downloading",
        "Tiny: done in 20 s",
    ]


def test_a_failure_is_not_called_done() -> None:
    out = io.StringIO()
    lines = Lines(out)
    lines.start("Tiny", 1000)
    lines.advance(500, "downloading")
    lines.finish()
    assert out.getvalue() == "Tiny: 1 kB on disk\n"
